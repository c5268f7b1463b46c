import type { Clock, SessionStore } from '@x/store';
import { sessionIdOfHash } from '@x/store/engine';

import { countActive, createSession, toLockSignIn } from './create-session.ts';
import { holdSession, toHoldStatements } from './hold-session.ts';
import { createSqlRevocations, type PublishRevocations, toOver } from './revocations.ts';
import { sessionColumns, toFirstSession, toSessionRecord } from './session-row.ts';
import { sessionWithUserColumns, sessionWithUserTables, toSessionWithUser } from './session-with-user.ts';
import type { SqlDialect, SqlScope } from './sql-driver.ts';

/** The options of the session store. */
export interface SqlSessionsOptions {
  readonly dialect: SqlDialect;
  readonly clock: Clock;
}

const selectById = `SELECT ${sessionColumns} FROM auth_sessions WHERE id = $1`;

const selectWithUser = `SELECT ${sessionWithUserColumns} FROM ${sessionWithUserTables} WHERE s.id = $1`;

// A hash names its session, so neither hash column needs an index, which every rotation would have to update.

const selectByRefreshHash = `SELECT ${sessionColumns} FROM auth_sessions WHERE id = $1 AND refresh_token_hash = $2`;

const selectByPreviousHash = `SELECT ${sessionColumns} FROM auth_sessions WHERE id = $1 AND previous_token_hash = $2`;

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

const selectActive = `
  SELECT ${sessionColumns} FROM auth_sessions
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
  ORDER BY last_active_at DESC, id`;

/** An active session is in its own list, so an empty one means that it is not active. */
const selectOwn = `
  SELECT ${sessionColumns} FROM auth_sessions
  WHERE revoked_at IS NULL AND expires_at > $2 AND user_id = (
    SELECT user_id FROM auth_sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
  )
  ORDER BY last_active_at DESC, id`;

// A separate `WITH`, because inside `IN`, Postgres may run a locking `LIMIT` more than once.
const toDeleteEnded = ({ lockFreeRows }: SqlDialect): string => `
  WITH ended AS (
    SELECT id FROM auth_sessions WHERE COALESCE(revoked_at, expires_at) < $1
    ORDER BY COALESCE(revoked_at, expires_at), id LIMIT $2 ${lockFreeRows}
  )
  DELETE FROM auth_sessions WHERE id IN (SELECT id FROM ended)`;

/** Builds the session store of every scope. */
export function createSqlSessions({
  dialect,
  clock,
}: SqlSessionsOptions): (sql: SqlScope, publish: PublishRevocations) => SessionStore {
  const milliseconds = (): number => clock.now().getTime();
  const lockSignIn = toLockSignIn(dialect);
  const hold = toHoldStatements(dialect);
  const deleteEnded = toDeleteEnded(dialect);
  const revocations = createSqlRevocations({ dialect, clock });
  return (sql, publish) => ({
    ...revocations(sql, publish),

    async create(session, terms) {
      const creation = { ...terms, session, milliseconds };
      const created = await sql.step((step) => createSession(step, lockSignIn, creation));
      if (created) publish(created.revoked.map(toOver));
      return created;
    },

    findById: async (id) => toFirstSession(await sql.read(selectById, [id])),

    findWithUser: async (id) => toSessionWithUser(await sql.read(selectWithUser, [id])),

    findByRefreshHash: async (hash) =>
      toFirstSession(await sql.read(selectByRefreshHash, [sessionIdOfHash(hash), hash])),

    findByPreviousHash: async (hash) =>
      toFirstSession(await sql.read(selectByPreviousHash, [sessionIdOfHash(hash), hash])),

    rotate: async (id, { expectedHash, nextHash }) =>
      toFirstSession(await sql.write(rotateTokens, () => [id, expectedHash, nextHash, milliseconds()])),

    lockActive: (id) => sql.step((step) => holdSession(step, hold, { id, milliseconds })),

    setSecondFactor: async (id) => toFirstSession(await sql.write(updateSecondFactor, () => [id, milliseconds()])),

    async setTenant(id, tenantId) {
      const session = toFirstSession(await sql.write(updateTenant, () => [id, tenantId, milliseconds()]));
      if (session) publish([{ sessionId: id, lowestVer: session.ver }]);
      return session;
    },

    listActive: async (userId) => (await sql.read(selectActive, () => [userId, milliseconds()])).map(toSessionRecord),

    async listOwn(current) {
      const rows = await sql.read(selectOwn, () => [current, milliseconds()]);
      return rows.length > 0 ? rows.map(toSessionRecord) : null;
    },

    async countActive(userId) {
      const [row] = await sql.read(countActive, () => [userId, milliseconds()]);
      return Number(row?.['active']);
    },

    prune({ before, limit }) {
      const moment = before.getTime();
      // Whatever the caller passes, an active session is kept; a session is over at its very last moment.
      return sql.execute(deleteEnded, () => [Math.min(moment, milliseconds() + 1), limit]);
    },
  });
}
