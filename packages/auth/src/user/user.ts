import { type JsonObject, type SessionRecord, toUserId, type UserId, type UserRecord } from '@x/store';
import { z } from 'zod';
import { timestamp } from '../request/route.ts';
import type { NoFields, PublicFields, UserField, UserFields } from './fields.ts';

/** A user as the app and its clients see one: what all users have, and the fields that the app declared public. */
export type User<Fields extends UserFields = NoFields> = AnyUser & PublicFields<Fields>;

interface AnyUser {
  readonly id: string;
  /** The address in canonical form. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly role: string;
  readonly tenantId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The settings of users. */
export interface UserConfig {
  readonly userFields: Readonly<Record<string, Required<UserField>>>;
}

/**
 * Builds what gives new users their ids: 1 to 64 visible ASCII characters, as they become part of JWTs and cookies.
 *
 * @param generate - must never return the same id again
 */
export function createUserIds(generate: () => string): () => UserId {
  return () => {
    const id: unknown = generate();
    if (typeof id === 'string' && /^[\x21-\x7e]{1,64}$/.test(id)) return toUserId(id);
    throw new TypeError('generateUserId must return 1 to 64 visible ASCII characters.');
  };
}

/** Names reserved for auth: sign-up can't set them, and an app can't declare them. */
export const reservedUserFields: ReadonlySet<string> = new Set([
  'id',
  'email',
  'password',
  'emailVerified',
  'role',
  'tenantId',
  'createdAt',
  'updatedAt',
]);

/** Converts a stored user to the public one. */
export function toUser(record: UserRecord, config: UserConfig): User {
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

/** Returns a user as seen from a session: in the tenant of that session. */
export function withTenantOf({ tenantId }: Pick<SessionRecord, 'tenantId'>, user: UserRecord): UserRecord {
  return { ...user, tenantId };
}

/** Picks the fields that the app declared public. */
export function publicFields(fields: JsonObject, { userFields }: UserConfig): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => Object.hasOwn(userFields, name) && userFields[name]?.public),
  );
}

/** Builds the schema of a user as clients see one; the app's public fields may be absent. */
export function createUserSchema(userFields: UserFields): z.ZodType {
  const declared = Object.entries(userFields).flatMap(([name, { schema, public: isPublic = true }]) =>
    isPublic ? [[name, schema.optional()] as const] : [],
  );
  return z.strictObject({
    ...Object.fromEntries(declared),
    id: z.string(),
    email: z.string().meta({ examples: ['ada@example.com'] }),
    emailVerified: z.boolean(),
    role: z.string().meta({ examples: ['user'] }),
    tenantId: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  });
}
