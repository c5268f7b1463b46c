import {
  type Clock,
  type OwnRevocation,
  type Revocation,
  type SessionId,
  sessionIdOfHash,
  type SessionRecord,
  type SessionStore,
  type SessionWithUser,
} from '@x/store';

import { createSession, toLockSignIn } from './create-session.ts';
import { joinColumns } from './joined-columns.ts';
import { sessionColumns, toRaisedVer, toSessionId, toSessionRecord, toSessionValues } from './session-row.ts';
import type { SqlDialect, SqlRow, SqlScope } from './sql-driver.ts';
import { toUserRecord, userColumns } from './user-row.ts';

/** What the session store is made of. */
export interface SqlSessionsOptions {
  readonly dialect: SqlDialect;
  readonly clock: Clock;
}

/** Takes what a step revoked, once it is done: to be told at once, or when the transaction it is in has committed. */
export type PublishRevocations = (revocations: readonly Revocation[]) => void;

const selectById = `SELECT ${sessionColumns} FROM auth_sessions WHERE id = $1`;

const joinedSession = joinColumns('s', sessionColumns);

const joinedUser = joinColumns('u', userColumns);

const selectWithUser = `
  SELECT ${joinedSession.text}, ${joinedUser.text}
  FROM auth_sessions s JOIN auth_users u ON u.id = s.user_id
  WHERE s.id = $1`;

// A hash names its session, so that neither of its columns needs an index that every rotation would have to change.

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

// Whatever changes several sessions of a user takes the user's row first: such steps go one after another,
// also after a password change, and no two of them can wait for each other.

const toLockUser = ({ lockRow }: SqlDialect): string => `SELECT id FROM auth_users WHERE id = $1 ${lockRow}`;

const toLockUserOf = ({ lockRow }: SqlDialect): string => `
  SELECT id FROM auth_users WHERE id = (SELECT user_id FROM auth_sessions WHERE id = $1) ${lockRow}`;

const raiseVers = `
  UPDATE auth_sessions SET ver = ver + 1
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
  RETURNING id, ver`;

const revokeOne = `
  UPDATE auth_sessions SET revoked_at = $2
  WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
  RETURNING ${sessionColumns}`;

// The next two touch the current session too, without changing it: whether it is among the returned rows says
// whether it was active, in the same statement.

const toRevokeOwnSession = ({ lockRow }: SqlDialect): string => `
  UPDATE auth_sessions SET revoked_at = CASE WHEN id = $2 THEN $3 ELSE revoked_at END
  WHERE id IN ($1, $2) AND revoked_at IS NULL AND expires_at > $3 AND user_id = (
    SELECT user_id FROM auth_sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > $3 ${lockRow}
  )
  RETURNING ${sessionColumns}`;

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

/** An active session is in its own list: an empty one says that it is not active. */
const selectOwn = `
  SELECT ${sessionColumns} FROM auth_sessions
  WHERE revoked_at IS NULL AND expires_at > $2 AND user_id = (
    SELECT user_id FROM auth_sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
  )
  ORDER BY last_active_at DESC, id`;

const countActiveSessions = `
  SELECT COUNT(*) AS active FROM auth_sessions
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2`;

// A `WITH` of its own: inside `IN`, Postgres may run a `LIMIT` that locks more than once.
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
  const lockUser = toLockUser(dialect);
  const lockUserOf = toLockUserOf(dialect);
  const revokeOwnSession = toRevokeOwnSession(dialect);
  const revokeOtherSessions = toRevokeOtherSessions(dialect);
  const deleteEnded = toDeleteEnded(dialect);
  return (sql, publish) => ({
    async create(session, terms) {
      const creation = { ...terms, userId: session.userId, values: toSessionValues(session), milliseconds };
      const created = await sql.step((step) => createSession(step, lockSignIn, creation));
      if (created) publish(created.revoked.map(toOver));
      return created;
    },

    findById: async (id) => toSession(await sql.read(selectById, [id])),

    findWithUser: async (id) => toSessionWithUser(await sql.read(selectWithUser, [id])),

    findByRefreshHash: async (hash) => toSession(await sql.read(selectByRefreshHash, [sessionIdOfHash(hash), hash])),

    findByPreviousHash: async (hash) => toSession(await sql.read(selectByPreviousHash, [sessionIdOfHash(hash), hash])),

    rotate: async (id, { expectedHash, nextHash }) =>
      toSession(await sql.write(rotateTokens, () => [id, expectedHash, nextHash, milliseconds()])),

    setSecondFactor: async (id) => toSession(await sql.write(updateSecondFactor, () => [id, milliseconds()])),

    async setTenant(id, tenantId) {
      const session = toSession(await sql.write(updateTenant, () => [id, tenantId, milliseconds()]));
      if (session) publish([{ sessionId: id, lowestVer: session.ver }]);
      return session;
    },

    async raiseVer(userId) {
      const raised = await sql.step(async (step) => {
        await step.read(lockUser, [userId]);
        return step.write(raiseVers, () => [userId, milliseconds()]);
      });
      publish(raised.map(toRaisedVer));
    },

    async revoke(id) {
      const session = toSession(await sql.write(revokeOne, () => [id, milliseconds()]));
      if (session) publish([toOver(id)]);
      return session;
    },

    async revokeOwn(current, id) {
      const touched = await sql.step(async (step) => {
        await step.read(lockUserOf, [current]);
        return (await step.write(revokeOwnSession, () => [current, id, milliseconds()])).map(toSessionRecord);
      });
      const revocation = toOwnRevocation(touched, current, id);
      if (revocation.outcome === 'revoked') publish([toOver(id)]);
      return revocation;
    },

    async revokeOthers(current) {
      const touched = await sql.step(async (step) => {
        await step.read(lockUserOf, [current]);
        return (await step.write(revokeOtherSessions, () => [current, milliseconds()])).map(toSessionId);
      });
      const revoked = touched.filter((id) => id !== current);
      publish(revoked.map(toOver));
      return touched.includes(current) ? revoked : null;
    },

    async revokeAll(userId) {
      const revoked = await sql.step(async (step) => {
        await step.read(lockUser, [userId]);
        return (await step.write(revokeAllSessions, () => [userId, milliseconds()])).map(toSessionId);
      });
      publish(revoked.map(toOver));
      return revoked;
    },

    listActive: async (userId) => (await sql.read(selectActive, () => [userId, milliseconds()])).map(toSessionRecord),

    async listOwn(current) {
      const rows = await sql.read(selectOwn, () => [current, milliseconds()]);
      return rows.length > 0 ? rows.map(toSessionRecord) : null;
    },

    async countActive(userId) {
      const [row] = await sql.read(countActiveSessions, () => [userId, milliseconds()]);
      return Number(row?.['active']);
    },

    prune({ before, limit }) {
      const moment = before.getTime();
      // Whatever the caller says, what is active stays: a session is over at its very last moment.
      return sql.execute(deleteEnded, () => [Math.min(moment, milliseconds() + 1), limit]);
    },
  });
}

function toSession([row]: readonly SqlRow[]): SessionRecord | null {
  return row ? toSessionRecord(row) : null;
}

function toSessionWithUser([row]: readonly SqlRow[]): SessionWithUser | null {
  return row ? { session: toSessionRecord(joinedSession.pick(row)), user: toUserRecord(joinedUser.pick(row)) } : null;
}

function toOver(sessionId: SessionId): Revocation {
  return { sessionId, lowestVer: null };
}

/** Tells from the sessions that a statement touched what came of the wish of the current one. */
function toOwnRevocation(touched: readonly SessionRecord[], current: SessionId, id: SessionId): OwnRevocation {
  const session = touched.find((one) => one.id === id);
  if (session) return { outcome: 'revoked', session };
  return { outcome: touched.some((one) => one.id === current) ? 'not_found' : 'unauthenticated' };
}
