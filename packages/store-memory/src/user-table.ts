import type { NewUser, UserRecord } from '@x/store';
import type { TimeKey } from '@x/store/engine';
import { compareNewest } from './compare-newest.ts';
import { copyDate } from './copy-date.ts';
import { copyJson } from './copy-json.ts';
import { Table } from './table.ts';

/** Users, indexed by id and login e-mail, and ordered newest first. */
export type UserTable = Table<UserRecord, 'loginEmail', 'byAge'>;

/** The single group of the index by age. */
export const everyUser = '';

/** Creates an empty table of users. */
export function createUserTable(): UserTable {
  return new Table({
    keyOf: (user) => user.id,
    unique: { loginEmail: (user) => user.loginEmail },
    ordered: { byAge: { groupOf: () => everyUser, compare: (a, b) => compareNewest(toUserKey(a), toUserKey(b)) } },
  });
}

/** Returns the sort key of a list of users. */
export function toUserKey(user: UserRecord): TimeKey {
  return { at: user.createdAt, id: user.id };
}

/** Builds the row of a new user, except the timestamps. */
export function toUserRow(user: NewUser): Omit<UserRecord, 'createdAt' | 'updatedAt'> {
  return {
    id: user.id,
    email: user.email,
    loginEmail: user.loginEmail,
    emailVerified: user.emailVerified,
    emailProvenAt: copyDate(user.emailProvenAt),
    passwordHash: user.passwordHash,
    role: user.role,
    tenantId: user.tenantId,
    disabledAt: null,
    fields: copyJson(user.fields),
  };
}

/** Copies a row for a caller. */
export function fromUserRow(row: UserRecord): UserRecord {
  return {
    ...row,
    emailProvenAt: copyDate(row.emailProvenAt),
    disabledAt: copyDate(row.disabledAt),
    createdAt: copyDate(row.createdAt),
    updatedAt: copyDate(row.updatedAt),
  };
}
