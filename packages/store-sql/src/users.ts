import {
  type Clock,
  isStorableText,
  type Page,
  type PageRequest,
  type UserId,
  type UserRecord,
  type UserStore,
} from '@x/store';
import { parseCursor, toPage } from '@x/store/engine';

import { DuplicateKeyError } from './duplicate-key-error.ts';
import type { OnScope, SqlDialect, SqlRow, SqlScope } from './sql-driver.ts';
import { toUserRecord, toUserValues, userColumns } from './user-row.ts';

/** The options of the user store. */
export interface SqlUsersOptions {
  readonly dialect: SqlDialect;
  readonly clock: Clock;
}

const insertUser = `
  INSERT INTO auth_users (${userColumns})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, NULL)
  ON CONFLICT (login_email) DO NOTHING
  RETURNING ${userColumns}`;

const selectById = `SELECT ${userColumns} FROM auth_users WHERE id = $1`;

const selectByLoginEmail = `SELECT ${userColumns} FROM auth_users WHERE login_email = $1`;

const firstUsers = `SELECT ${userColumns} FROM auth_users ORDER BY created_at DESC, id LIMIT $1`;

const nextUsers = `
  SELECT ${userColumns} FROM auth_users WHERE created_at <= $2 AND (created_at < $2 OR id > $3)
  ORDER BY created_at DESC, id LIMIT $1`;

const updatePassword = `
  UPDATE auth_users SET password_hash = $3, updated_at = $4
  WHERE id = $1 AND password_hash IS NOT DISTINCT FROM $2`;

const replacePassword = `
  UPDATE auth_users SET password_hash = $2, updated_at = $3
  WHERE id = $1
  RETURNING ${userColumns}`;

const updateProof = `
  UPDATE auth_users SET email_verified = TRUE, email_proven_at = $3, updated_at = $3
  WHERE id = $1 AND email = $2
  RETURNING ${userColumns}`;

const updateEmail = `
  UPDATE auth_users
  SET email = $2, login_email = $2, email_verified = TRUE, email_proven_at = $3, updated_at = $3
  WHERE id = $1`;

// If a user is disabled again, the first time is kept.
const updateDisabled = `
  UPDATE auth_users SET disabled_at = CASE WHEN $2 THEN COALESCE(disabled_at, $3) END, updated_at = $3
  WHERE id = $1
  RETURNING ${userColumns}`;

const updateRole = `
  UPDATE auth_users SET role = $2, updated_at = $3
  WHERE id = $1
  RETURNING ${userColumns}`;

const updateTenant = `
  UPDATE auth_users SET tenant_id = $2, updated_at = $3
  WHERE id = $1
  RETURNING ${userColumns}`;

// The schema deletes its sessions and tokens along with it.
const deleteUser = `DELETE FROM auth_users WHERE id = $1 RETURNING ${userColumns}`;

/** A user's roles do not reference the user, so that apps that keep users elsewhere can assign roles, too. */
const deleteRoles = 'DELETE FROM access_role_assignments WHERE user_id = $1';

/** Builds the user store of every scope. */
export function createSqlUsers({ dialect, clock }: SqlUsersOptions): OnScope<UserStore> {
  const milliseconds = (): number => clock.now().getTime();
  const lockById = `${selectById} ${dialect.lockRow}`;
  return (sql) => ({
    async create(user) {
      const values = toUserValues(user);
      return toUser(await sql.write(insertUser, () => [...values, milliseconds()]));
    },

    findById: async (id) => (isStorableText(id) ? toUser(await sql.read(selectById, [id])) : null),

    hold: async (id) => (isStorableText(id) ? toUser(await sql.read(lockById, [id])) : null),

    findMany: (ids) => findMany(sql, dialect, ids),

    findByLoginEmail: async (loginEmail) => toUser(await sql.read(selectByLoginEmail, [loginEmail])),

    list: (page) => listUsers(sql, page),

    async changePassword(id, { expectedHash, nextHash }) {
      return (await sql.execute(updatePassword, () => [id, expectedHash, nextHash, milliseconds()])) === 1;
    },

    setPassword: async (id, passwordHash) =>
      toUser(await sql.write(replacePassword, () => [id, passwordHash, milliseconds()])),

    proveEmail: async (id, email) => toUser(await sql.write(updateProof, () => [id, email, milliseconds()])),

    async claimEmail(id, email) {
      try {
        // A step, because on some engines a refused statement aborts the transaction around it.
        const changed = await sql.step((step) => step.execute(updateEmail, () => [id, email, milliseconds()]));
        return changed === 1 ? 'claimed' : 'missing';
      } catch (error) {
        if (error instanceof DuplicateKeyError) return 'taken';
        throw error;
      }
    },

    setDisabled: async (id, isDisabled) =>
      toUser(await sql.write(updateDisabled, () => [id, isDisabled, milliseconds()])),

    setRole: async (id, role) => toUser(await sql.write(updateRole, () => [id, role, milliseconds()])),

    setTenant: async (id, tenantId) => toUser(await sql.write(updateTenant, () => [id, tenantId, milliseconds()])),

    delete: (id) =>
      sql.step(async (step) => {
        const user = toUser(await step.write(deleteUser, [id]));
        if (user) await step.execute(deleteRoles, [id]);
        return user;
      }),
  });
}

async function findMany(sql: SqlScope, dialect: SqlDialect, ids: readonly UserId[]): Promise<readonly UserRecord[]> {
  if (ids.length === 0) return [];
  const text = `SELECT ${userColumns} FROM auth_users WHERE id ${dialect.in('text', '$1')}`;
  const rows = await sql.read(text, [dialect.toList(ids)]);
  return rows.map(toUserRecord);
}

function toUser([row]: readonly SqlRow[]): UserRecord | null {
  return row ? toUserRecord(row) : null;
}

async function listUsers(sql: SqlScope, { limit, after }: PageRequest): Promise<Page<UserRecord>> {
  const last = after === null ? null : parseCursor(after);
  const rows = last
    ? await sql.read(nextUsers, [limit + 1, last.at.getTime(), last.id])
    : await sql.read(firstUsers, [limit + 1]);
  return toPage(rows.map(toUserRecord), limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}
