import {
  type Cause,
  isStorableText,
  type NewUser,
  type Page,
  type PageRequest,
  type UnfinishedStep,
  type UserId,
  type UserRecord,
  type UserStore,
} from '@x/store';
import { logged, type LoggedChange, parseCursor, type Recorded, toPage } from '@x/store/engine';
import { createMembershipRemoval } from '../access/groups.ts';
import { revokeAll } from '../access/role-assignments.ts';
import { createRecording } from '../events.ts';
import { boolean, type Columns, defineColumns, json, moment, momentOrNull, text, textOrNull } from '../columns.ts';
import { DuplicateKeyError } from '../errors.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlExecutor, SqlValue } from '../sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';

/** The columns of `auth_users`. */
export const userColumns: Columns<UserRecord> = defineColumns((row): UserRecord => ({
  id: text(row['id']),
  email: text(row['email']),
  loginEmail: textOrNull(row['login_email']),
  emailVerified: boolean(row['email_verified']),
  emailProvenAt: momentOrNull(row['email_proven_at']),
  passwordHash: textOrNull(row['password_hash']),
  role: text(row['role']),
  tenantId: textOrNull(row['tenant_id']),
  disabledAt: momentOrNull(row['disabled_at']),
  unfinished: textOrNull(row['unfinished']) as UnfinishedStep | null,
  fields: json(row['fields']),
  createdAt: moment(row['created_at']),
  updatedAt: moment(row['updated_at']),
}));

/**
 * Builds the statement that locks the row of a user. Every step that changes several rows of one user, their second
 * factor, or their mailed token begins with it, always with the same lock. Such steps run one after another, also with
 * a password change or the deletion of the user, and can't deadlock. A weaker lock in one of them could deadlock with
 * one that has to upgrade its own, as a new login e-mail does.
 */
export const toLockUser = ({ lockRow }: SqlDialect): string => `SELECT id FROM auth_users WHERE id = $1 ${lockRow}`;

const insertUser = `
  INSERT INTO auth_users (${userColumns.names}) VALUES (${userColumns.placeholders})
  ON CONFLICT (login_email) DO NOTHING
  RETURNING ${userColumns.names}`;

const selectById = `SELECT ${userColumns.names} FROM auth_users WHERE id = $1`;

const selectByLoginEmail = `SELECT ${userColumns.names} FROM auth_users WHERE login_email = $1`;

const usersByPrefix = `
  SELECT ${userColumns.names} FROM auth_users WHERE email >= $1 AND email < $2
  ORDER BY email, id LIMIT $3`;

const firstUsers = `SELECT ${userColumns.names} FROM auth_users ORDER BY created_at DESC, id LIMIT $1`;

const nextUsers = `
  SELECT ${userColumns.names} FROM auth_users WHERE created_at <= $2 AND (created_at < $2 OR id > $3)
  ORDER BY created_at DESC, id LIMIT $1`;

const updatePassword = `
  UPDATE auth_users SET password_hash = $3, updated_at = $4
  WHERE id = $1 AND password_hash IS NOT DISTINCT FROM $2
  RETURNING ${userColumns.names}`;

const replacePassword = `
  UPDATE auth_users SET password_hash = $2, updated_at = $3
  WHERE id = $1
  RETURNING ${userColumns.names}`;

const updateVerified = `
  UPDATE auth_users SET email_verified = TRUE, updated_at = $3
  WHERE id = $1 AND email = $2
  RETURNING ${userColumns.names}`;

const updateProof = `
  UPDATE auth_users
  SET email_verified = TRUE, email_proven_at = $3, unfinished = NULLIF(unfinished, 'reclaim'), updated_at = $3
  WHERE id = $1 AND email = $2
  RETURNING ${userColumns.names}`;

const updateEmail = `
  UPDATE auth_users
  SET email = $2, login_email = $2, email_verified = TRUE, email_proven_at = NULL, updated_at = $3
  WHERE id = $1`;

// If a user is disabled again, the first time is kept.
const updateDisabled = `
  UPDATE auth_users SET disabled_at = CASE WHEN $2 THEN COALESCE(disabled_at, $3) END, updated_at = $3
  WHERE id = $1
  RETURNING ${userColumns.names}`;

const updateRole = `
  UPDATE auth_users SET role = $2, updated_at = $3
  WHERE id = $1
  RETURNING ${userColumns.names}`;

const updateTenant = `
  UPDATE auth_users SET tenant_id = $2, updated_at = $3
  WHERE id = $1
  RETURNING ${userColumns.names}`;

const updateFields = `
  UPDATE auth_users SET fields = $2, updated_at = $3
  WHERE id = $1
  RETURNING ${userColumns.names}`;

const updateReclaimed = `
  UPDATE auth_users SET password_hash = NULL, email_verified = TRUE, unfinished = 'reclaim', updated_at = $2
  WHERE id = $1
  RETURNING ${userColumns.names}`;

const updateLeaving = `
  UPDATE auth_users
  SET password_hash = NULL, login_email = NULL, disabled_at = COALESCE(disabled_at, $2), unfinished = 'deletion',
    updated_at = $2
  WHERE id = $1
  RETURNING ${userColumns.names}`;

const selectUnfinished = `
  SELECT ${userColumns.names} FROM auth_users WHERE unfinished IS NOT NULL AND id > $1 ORDER BY id LIMIT $2`;

// The schema deletes its sessions and tokens along with it.
const deleteUser = `DELETE FROM auth_users WHERE id = $1 RETURNING ${userColumns.names}`;

/** Builds the user store. */
export function createSqlUsers({ dialect, clock }: SqlStoreDependencies): OnExecutor<UserStore> {
  const milliseconds = (): number => clock.now().getTime();
  const removeMemberships = createMembershipRemoval(dialect);
  const { record } = createRecording({ clock });
  const lockById = `${selectById} ${dialect.lockRow}`;
  const changeUser = (
    sql: SqlExecutor,
    { statement, values, log }: UserChange,
    cause: Cause | undefined,
  ): Promise<UserRecord | null> =>
    record(sql, cause, async (step) => {
      const changed = userColumns.decodeFirst(await step.write(statement, () => [...values, milliseconds()]));
      return recordedUser(changed, (user) => [typeof log === 'string' ? logged.user(log, user) : log(user)]);
    });
  const verify = (
    sql: SqlExecutor,
    { id, email, statement, isNew }: Verification,
    cause: Cause | undefined,
  ): Promise<UserRecord | null> =>
    record(sql, cause, async (step) => {
      const before = userColumns.decodeFirst(await step.read(lockById, [id]));
      const verified = userColumns.decodeFirst(await step.write(statement, () => [id, email, milliseconds()]));
      return recordedUser(verified, (user) => (before && isNew(before) ? [logged.user('email.verified', user)] : []));
    });
  return (sql) => ({
    create(user, cause) {
      const toRest = (): Omit<UserRecord, keyof NewUser> => {
        const now = clock.now();
        return { createdAt: now, updatedAt: now, disabledAt: null, unfinished: null };
      };
      return record(sql, cause, async (step) => {
        const created = userColumns.decodeFirst(await step.write(insertUser, userColumns.bind(user, toRest)));
        return recordedUser(created, (row) => [logged.user('user.created', row)]);
      });
    },

    findById: async (id) => (isStorableText(id) ? userColumns.decodeFirst(await sql.read(selectById, [id])) : null),

    lock: async (id) => (isStorableText(id) ? userColumns.decodeFirst(await sql.read(lockById, [id])) : null),

    findMany: (ids) => findMany(sql, dialect, ids),

    findByLoginEmail: async (loginEmail) => userColumns.decodeFirst(await sql.read(selectByLoginEmail, [loginEmail])),

    async search(emailPrefix, limit) {
      if (!isStorableText(emailPrefix)) return [];
      // No address contains the last code point.
      const rows = await sql.read(usersByPrefix, [emailPrefix, `${emailPrefix}\u{10ffff}`, limit]);
      return rows.map(userColumns.decode);
    },

    list: (page) => listUsers(sql, page),

    async changePassword(id, { expectedHash, nextHash }, cause) {
      const change = {
        statement: updatePassword,
        values: [id, expectedHash, nextHash],
        log: 'password.changed',
      } as const;
      return (await changeUser(sql, change, cause)) !== null;
    },

    async rehashPassword(id, { expectedHash, nextHash }) {
      return (await sql.execute(updatePassword, () => [id, expectedHash, nextHash, milliseconds()])) === 1;
    },

    setPassword: (id, passwordHash, cause) =>
      changeUser(sql, { statement: replacePassword, values: [id, passwordHash], log: 'password.changed' }, cause),

    resetPassword: (id, passwordHash, cause) =>
      changeUser(sql, { statement: replacePassword, values: [id, passwordHash], log: 'password.reset' }, cause),

    verifyEmail: (id, email, cause) =>
      verify(sql, { id, email, statement: updateVerified, isNew: (user) => !user.emailVerified }, cause),

    proveEmail: (id, email, cause) =>
      verify(sql, { id, email, statement: updateProof, isNew: (user) => user.emailProvenAt === null }, cause),

    async claimEmail(id, email, cause) {
      try {
        // A step, because on some engines a refused statement aborts the transaction around it.
        const before = await record(sql, cause, async (step) => {
          const user = userColumns.decodeFirst(await step.read(lockById, [id]));
          await step.execute(updateEmail, () => [id, email, milliseconds()]);
          return recordedUser(user, (row) => [logged.email(row, email)]);
        });
        return before ? 'claimed' : 'missing';
      } catch (error) {
        if (error instanceof DuplicateKeyError) return 'taken';
        throw error;
      }
    },

    setDisabled(id, isDisabled, cause) {
      const log = isDisabled ? 'user.disabled' : 'user.enabled';
      return changeUser(sql, { statement: updateDisabled, values: [id, isDisabled], log }, cause);
    },

    setRole: (id, role, cause) =>
      changeUser(sql, { statement: updateRole, values: [id, role], log: (user) => logged.accountRole(user) }, cause),

    setTenant: (id, tenantId, cause) =>
      changeUser(
        sql,
        { statement: updateTenant, values: [id, tenantId], log: (user) => logged.homeTenant(user) },
        cause,
      ),

    setFields: (id, fields, cause) =>
      changeUser(sql, { statement: updateFields, values: [id, JSON.stringify(fields)], log: 'user.updated' }, cause),

    startReclaim: (id, cause) =>
      changeUser(sql, { statement: updateReclaimed, values: [id], log: 'account.reclaimed' }, cause),

    startDeletion: (id, cause) =>
      changeUser(sql, { statement: updateLeaving, values: [id], log: 'user.deleted' }, cause),

    // Every id follows the empty text.
    listUnfinished: async ({ after, limit }) =>
      (await sql.read(selectUnfinished, [after ?? '', limit])).map(userColumns.decode),

    // Roles and memberships do not reference the user, so that apps that keep users elsewhere can assign roles, too.
    delete: (id, cause) =>
      record(sql, cause, async (step) => {
        const outcome = userColumns.decodeFirst(await step.write(deleteUser, [id]));
        if (!outcome) return { outcome, recorded: [] };
        const revoked = await revokeAll(step, { userId: id });
        const left = await removeMemberships(step, id);
        return { outcome, recorded: [...logged.deletion(outcome), ...revoked, ...left] };
      }),
  });
}

/** A statement that changes one user and returns them. */
interface UserChange {
  readonly statement: string;
  /** The values that it binds, without the time, which comes last. */
  readonly values: readonly SqlValue[];
  /** The change as the log has it. */
  readonly log: Parameters<typeof logged.user>[0] | ((user: UserRecord) => LoggedChange);
}

/** The verification of an address. */
interface Verification {
  readonly id: UserId;
  readonly email: string;
  readonly statement: string;
  /** Says of the user before it whether it changes something. */
  readonly isNew: (user: UserRecord) => boolean;
}

function recordedUser(
  user: UserRecord | null,
  log: (user: UserRecord) => readonly LoggedChange[],
): Recorded<UserRecord | null> {
  return { outcome: user, recorded: user ? log(user) : [] };
}

async function findMany(sql: SqlExecutor, dialect: SqlDialect, ids: readonly UserId[]): Promise<readonly UserRecord[]> {
  if (ids.length === 0) return [];
  const text = `SELECT ${userColumns.names} FROM auth_users WHERE id ${dialect.in('text', '$1')}`;
  const rows = await sql.read(text, [dialect.toList(ids)]);
  return rows.map(userColumns.decode);
}

async function listUsers(sql: SqlExecutor, { limit, after }: PageRequest): Promise<Page<UserRecord>> {
  const last = after === null ? null : parseCursor(after);
  const rows = last
    ? await sql.read(nextUsers, [limit + 1, last.at.getTime(), last.id])
    : await sql.read(firstUsers, [limit + 1]);
  return toPage(rows.map(userColumns.decode), limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}
