import type { JsonObject, UserRecord } from '@x/store';
import type { AuthConfig } from '../config/auth-config.ts';
import type { User } from './user.ts';

/** Converts a stored user to the public one. */
export function toUser(record: UserRecord, config: Pick<AuthConfig, 'userFields'>): User {
  return {
    ...publicFields(record.fields, config),
    id: record.id,
    email: record.email,
    emailVerified: record.emailVerified,
    role: record.role,
    tenantId: record.tenantId,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

/** Picks the fields that the app declared public. */
export function publicFields(fields: JsonObject, { userFields }: Pick<AuthConfig, 'userFields'>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => Object.hasOwn(userFields, name) && userFields[name]?.public),
  );
}
