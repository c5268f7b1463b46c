import type { NewUser, UserId, UserRecord } from '@x/store';

import {
  type BooleanColumn,
  type IntegerColumn,
  type JsonColumn,
  toDate,
  toDateOrNull,
  toJsonObject,
  toMillisecondsOrNull,
} from './column.ts';
import type { SqlRow, SqlValue } from './sql-driver.ts';

/** The columns of a user: those that {@link toUserValues} binds, in its order, then those with an initial value. */
export const userColumns: string =
  'id, email, login_email, email_verified, email_proven_at, password_hash, role, tenant_id, fields, ' +
  'created_at, updated_at, disabled_at';

/** Converts a row of {@link userColumns} to the user. */
export function toUserRecord(columns: SqlRow): UserRecord {
  const row = columns as unknown as UserRow;
  return {
    id: row.id,
    email: row.email,
    loginEmail: row.login_email,
    emailVerified: Boolean(row.email_verified),
    emailProvenAt: toDateOrNull(row.email_proven_at),
    passwordHash: row.password_hash,
    role: row.role,
    tenantId: row.tenant_id,
    disabledAt: toDateOrNull(row.disabled_at),
    fields: toJsonObject(row.fields),
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
  };
}

/** Converts a new user to the values of the first {@link userColumns}. */
export function toUserValues(user: NewUser): readonly SqlValue[] {
  return [
    user.id,
    user.email,
    user.loginEmail,
    user.emailVerified,
    toMillisecondsOrNull(user.emailProvenAt),
    user.passwordHash,
    user.role,
    user.tenantId,
    JSON.stringify(user.fields),
  ];
}

interface UserRow {
  readonly id: UserId;
  readonly email: string;
  readonly login_email: string | null;
  readonly email_verified: BooleanColumn;
  readonly email_proven_at: IntegerColumn | null;
  readonly password_hash: string | null;
  readonly role: string;
  readonly tenant_id: string | null;
  readonly fields: JsonColumn;
  readonly created_at: IntegerColumn;
  readonly updated_at: IntegerColumn;
  readonly disabled_at: IntegerColumn | null;
}
