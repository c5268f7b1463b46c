import type { OwnRevocation, Revocation, SessionId, SessionRecord, SessionStore } from '@x/store';

import { integer, text } from '../columns.ts';
import type { SqlDialect, SqlRow, SqlExecutor, SqlStoreDependencies } from '../sql-driver.ts';
import { sessionColumns } from './session-columns.ts';
import { toLockUser } from './users.ts';

/** Receives what a step revoked, once it is done: to report it at once, or after the commit of its transaction. */
export type PublishRevocations = (revocations: readonly Revocation[]) => void;

/** The steps that end sessions, or the validity of their JWTs. */
type SqlRevocations = Pick<
  SessionStore,
  'leaveTenant' | 'bumpTokenVersion' | 'revoke' | 'revokeOwn' | 'revokeOthers' | 'revokeAll'
>;

// Steps on several sessions lock the user's row first, see `toLockUser`.

const toLockUserOf = ({ lockRow }: SqlDialect): string => `
  SELECT id FROM auth_users WHERE id = (SELECT user_id FROM auth_sessions WHERE id = $1) ${lockRow}`;

const bumpTokenVersions = `
  UPDATE auth_sessions SET ver = ver + 1
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
  RETURNING id, ver`;

const moveSessions = `
  UPDATE auth_sessions SET tenant_id = $4, ver = ver + 1
  WHERE user_id = $1 AND tenant_id = $3 AND revoked_at IS NULL AND expires_at > $2
  RETURNING id, ver`;

const revokeOne = `
  UPDATE auth_sessions SET revoked_at = $2
  WHERE id = $1 AND revoked_at IS NULL
  RETURNING ${sessionColumns.names}`;

// The next two also touch the current session without changing it: whether it is among the returned rows says whether
// it was active, in the same statement.

const toRevokeOwnSession = ({ lockRow }: SqlDialect): string => `
  UPDATE auth_sessions SET revoked_at = CASE WHEN id = $2 THEN $3 ELSE revoked_at END
  WHERE id IN ($1, $2) AND revoked_at IS NULL AND expires_at > $3 AND user_id = (
    SELECT user_id FROM auth_sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > $3 ${lockRow}
  )
  RETURNING ${sessionColumns.names}`;

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

/** Builds the revoking steps. */
export function createSqlRevocations({
  dialect,
  clock,
}: SqlStoreDependencies): (sql: SqlExecutor, publish: PublishRevocations) => SqlRevocations {
  const milliseconds = (): number => clock.now().getTime();
  const lockUser = toLockUser(dialect);
  const lockUserOf = toLockUserOf(dialect);
  const revokeOwnSession = toRevokeOwnSession(dialect);
  const revokeOtherSessions = toRevokeOtherSessions(dialect);
  return (sql, publish) => ({
    async bumpTokenVersion(userId) {
      const raised = await sql.step(async (step) => {
        await step.read(lockUser, [userId]);
        return step.write(bumpTokenVersions, () => [userId, milliseconds()]);
      });
      publish(raised.map(toRaisedVer));
    },

    async leaveTenant(userId, { from, to }) {
      const moved = await sql.step(async (step) => {
        await step.read(lockUser, [userId]);
        return step.write(moveSessions, () => [userId, milliseconds(), from, to]);
      });
      publish(moved.map(toRaisedVer));
    },

    async revoke(id) {
      const session = sessionColumns.decodeFirst(await sql.write(revokeOne, () => [id, milliseconds()]));
      if (session) publish([toEnded(id)]);
      return session;
    },

    async revokeOwn(current, id) {
      const touched = await sql.step(async (step) => {
        await step.read(lockUserOf, [current]);
        return (await step.write(revokeOwnSession, () => [current, id, milliseconds()])).map(sessionColumns.decode);
      });
      const revocation = toOwnRevocation(touched, current, id);
      if (revocation.outcome === 'revoked') publish([toEnded(id)]);
      return revocation;
    },

    async revokeOthers(current) {
      const touched = await sql.step(async (step) => {
        await step.read(lockUserOf, [current]);
        return (await step.write(revokeOtherSessions, () => [current, milliseconds()])).map(toSessionId);
      });
      const revoked = touched.filter((id) => id !== current);
      publish(revoked.map(toEnded));
      return touched.includes(current) ? revoked : null;
    },

    async revokeAll(userId) {
      const revoked = await sql.step(async (step) => {
        await step.read(lockUser, [userId]);
        return (await step.write(revokeAllSessions, () => [userId, milliseconds()])).map(toSessionId);
      });
      publish(revoked.map(toEnded));
      return revoked;
    },
  });
}

/** Reads a row that contains only a session's id. */
export function toSessionId(row: SqlRow): SessionId {
  return text(row['id']);
}

/** Reads a row with a session's id and its raised `ver`. */
function toRaisedVer(row: SqlRow): Revocation {
  return { sessionId: toSessionId(row), lowestVer: integer(row['ver']) };
}

/** Converts an ended session to its revocation. */
export function toEnded(sessionId: SessionId): Revocation {
  return { sessionId, lowestVer: null };
}

/** Finds the outcome for the current session from the sessions that a statement touched. */
function toOwnRevocation(touched: readonly SessionRecord[], current: SessionId, id: SessionId): OwnRevocation {
  const session = touched.find((one) => one.id === id);
  if (session) return { outcome: 'revoked', session };
  return { outcome: touched.some((one) => one.id === current) ? 'not_found' : 'unauthenticated' };
}
