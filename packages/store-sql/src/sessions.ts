import type { Clock, CreatedSession, SessionRecord, SessionStore, SessionTerms, UserId } from '@x/store';

import { sessionColumns, toSessionId, toSessionRecord, toSessionValues } from './session-row.ts';
import type { OnScope, SqlDialect, SqlRow, SqlScope, SqlValue } from './sql-driver.ts';
import { toUserRecord, userColumns } from './user-row.ts';

/** What the session store is made of. */
export interface SqlSessionsOptions {
  readonly dialect: SqlDialect;
  readonly clock: Clock;
}

// Whatever changes several sessions of a user takes the user's row first: such steps go one after another,
// also after a password change, and no two of them can wait for each other.

const toLocks = ({ lockRow }: SqlDialect): Readonly<Record<'signIn' | 'user' | 'userOf', string>> => ({
  signIn: `
    SELECT ${userColumns} FROM auth_users
    WHERE id = $1 AND disabled_at IS NULL AND ($2 OR password_hash IS NOT DISTINCT FROM $3) ${lockRow}`,
  user: `SELECT id FROM auth_users WHERE id = $1 ${lockRow}`,
  userOf: `
    SELECT id FROM auth_users WHERE id = (SELECT user_id FROM auth_sessions WHERE id = $1) ${lockRow}`,
});

/** The outer conditions look again at rows that another transaction has just changed. */
const revokeOldest = `
  UPDATE auth_sessions SET revoked_at = $2
  WHERE revoked_at IS NULL AND id IN (
    SELECT id FROM auth_sessions
    WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
    ORDER BY created_at DESC, id DESC LIMIT 9223372036854775807 OFFSET $3
  )
  RETURNING id`;

const insertSession = `
  INSERT INTO auth_sessions (${sessionColumns})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10, 0, 0, NULL, NULL)
  RETURNING ${sessionColumns}`;

const selectById = `SELECT ${sessionColumns} FROM auth_sessions WHERE id = $1`;

const selectByRefreshHash = `SELECT ${sessionColumns} FROM auth_sessions WHERE refresh_token_hash = $1`;

const selectByPreviousHash = `SELECT ${sessionColumns} FROM auth_sessions WHERE previous_token_hash = $1`;

const rotateTokens = `
  UPDATE auth_sessions
  SET previous_token_hash = refresh_token_hash, refresh_token_hash = $3, generation = generation + 1,
    rotated_at = $4, last_active_at = $4
  WHERE id = $1 AND refresh_token_hash = $2 AND revoked_at IS NULL AND expires_at > $4
  RETURNING ${sessionColumns}`;

const updateSecondFactor = `
  UPDATE auth_sessions SET second_factor_at = $2
  WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
  RETURNING ${sessionColumns}`;

const updateTenant = `
  UPDATE auth_sessions SET tenant_id = $2, ver = ver + 1
  WHERE id = $1 AND revoked_at IS NULL AND expires_at > $3
  RETURNING ${sessionColumns}`;

const revokeOne = `
  UPDATE auth_sessions SET revoked_at = $3
  WHERE id = $1 AND user_id = COALESCE($2, user_id) AND revoked_at IS NULL AND expires_at > $3
  RETURNING ${sessionColumns}`;

/**
 * Touches the current session too, without changing it: whether it is among the returned rows says
 * whether it was active, in the same statement.
 */
const toRevokeOtherSessions = ({ lockRow }: SqlDialect): string => `
  UPDATE auth_sessions SET revoked_at = CASE WHEN id = $1 THEN revoked_at ELSE $2 END
  WHERE revoked_at IS NULL AND expires_at > $2 AND user_id = (
    SELECT user_id FROM auth_sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2 ${lockRow}
  )
  RETURNING id`;

const revokeAllSessions = `
  UPDATE auth_sessions SET revoked_at = $2
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
  RETURNING id`;

const selectActive = `
  SELECT ${sessionColumns} FROM auth_sessions
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
  ORDER BY last_active_at DESC, id`;

const countActiveSessions = `
  SELECT COUNT(*) AS active FROM auth_sessions
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2`;

/** Builds the session store of every scope. */
export function createSqlSessions({ dialect, clock }: SqlSessionsOptions): OnScope<SessionStore> {
  const milliseconds = (): number => clock.now().getTime();
  const locks = toLocks(dialect);
  const revokeOtherSessions = toRevokeOtherSessions(dialect);
  return (sql) => ({
    create: (session, terms) => {
      const creation = { ...terms, userId: session.userId, values: toSessionValues(session), milliseconds };
      return sql.step((step) => createSession(step, locks.signIn, creation));
    },

    findById: async (id) => toSession(await sql.read(selectById, [id])),

    findByRefreshHash: async (hash) => toSession(await sql.read(selectByRefreshHash, [hash])),

    findByPreviousHash: async (hash) => toSession(await sql.read(selectByPreviousHash, [hash])),

    rotate: async (id, { expectedHash, nextHash }) =>
      toSession(await sql.write(rotateTokens, () => [id, expectedHash, nextHash, milliseconds()])),

    setSecondFactor: async (id) => toSession(await sql.write(updateSecondFactor, () => [id, milliseconds()])),

    setTenant: async (id, tenantId) => toSession(await sql.write(updateTenant, () => [id, tenantId, milliseconds()])),

    revoke: async (id, options) =>
      toSession(await sql.write(revokeOne, () => [id, options?.ownedBy ?? null, milliseconds()])),

    revokeOthers: (current) =>
      sql.step(async (step) => {
        await step.read(locks.userOf, [current]);
        const ids = (await step.write(revokeOtherSessions, () => [current, milliseconds()])).map(toSessionId);
        return ids.includes(current) ? ids.filter((id) => id !== current) : null;
      }),

    revokeAll: (userId) =>
      sql.step(async (step) => {
        await step.read(locks.user, [userId]);
        return (await step.write(revokeAllSessions, () => [userId, milliseconds()])).map(toSessionId);
      }),

    listActive: async (userId) => (await sql.read(selectActive, () => [userId, milliseconds()])).map(toSessionRecord),

    async countActive(userId) {
      const [row] = await sql.read(countActiveSessions, () => [userId, milliseconds()]);
      return Number(row?.['active']);
    },
  });
}

interface SessionCreation extends SessionTerms {
  readonly userId: UserId;
  readonly values: readonly SqlValue[];
  readonly milliseconds: () => number;
}

async function createSession(
  sql: SqlScope,
  lockSignIn: string,
  { userId, values, maxActive, expectedPasswordHash, milliseconds }: SessionCreation,
): Promise<CreatedSession | null> {
  const anyPassword = expectedPasswordHash === undefined;
  const [user] = await sql.read(lockSignIn, [userId, anyPassword, expectedPasswordHash ?? null]);
  if (!user) return null;
  // One moment for both statements, and none from before the user was free.
  const now = milliseconds();
  const revoked = await sql.write(revokeOldest, [userId, now, maxActive - 1]);
  const created = toSession(await sql.write(insertSession, [...values, now]));
  return created && { user: toUserRecord(user), session: created, revoked: revoked.map(toSessionId) };
}

function toSession([row]: readonly SqlRow[]): SessionRecord | null {
  return row ? toSessionRecord(row) : null;
}
