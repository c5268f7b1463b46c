import type { OwnRevocation, Revocation, SessionId, SessionRecord, SessionStore } from '@x/store';
import { logged, type Recorded } from '@x/store/engine';
import { integer, text, textOrNull } from '../columns.ts';
import { createRecording } from '../events.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlExecutor, SqlRow } from '../sql-executor.ts';
import type { SqlStoreDependencies } from '../store-dependencies.ts';
import { sessionColumns } from './session-columns.ts';
import { toLockUser } from './users.ts';

/** Receives what a step revoked, once it is done: to report it at once, or after the commit of its transaction. */
export type PublishRevocations = (revocations: readonly Revocation[]) => void;

/** The steps that end sessions, or the validity of their JWTs. */
type SqlRevocations = Pick<
  SessionStore,
  'leaveTenant' | 'bumpTokenVersion' | 'revoke' | 'revokeOwn' | 'revokeOthers' | 'revokeAll'
>;

/** The columns of an ended session that the log has. */
export const endedColumns = 'id, user_id, tenant_id';

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
  RETURNING ${endedColumns}`;

const revokeAllSessions = `
  UPDATE auth_sessions SET revoked_at = $2
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
  RETURNING ${endedColumns}`;

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
  const { record } = createRecording({ clock });
  return (sql, publish) => ({
    async bumpTokenVersion(userId) {
      const raised = await sql.step(async (step) => {
        await step.read(lockUser, [userId]);
        return step.write(bumpTokenVersions, () => [userId, milliseconds()]);
      });
      publish(raised.map(toRaisedVer));
    },

    async leaveTenant(userId, { from, to }, cause) {
      const moved = await record(sql, cause, async (step) => {
        await step.read(lockUser, [userId]);
        const outcome = await step.write(moveSessions, () => [userId, milliseconds(), from, to]);
        return { outcome, recorded: logged.departure(userId, from, outcome.map(toSessionId)) };
      });
      publish(moved.map(toRaisedVer));
    },

    async revoke(id, cause) {
      const session = await record(sql, cause, async (step) => {
        const outcome = sessionColumns.decodeFirst(await step.write(revokeOne, () => [id, milliseconds()]));
        return { outcome, recorded: logged.revocation(outcome ? [outcome] : []) };
      });
      if (session) publish([toEnded(id)]);
      return session;
    },

    async revokeOwn(current, id, cause) {
      const revocation = await record(sql, cause, async (step) => {
        await step.read(lockUserOf, [current]);
        const touched = await step.write(revokeOwnSession, () => [current, id, milliseconds()]);
        const outcome = toOwnRevocation(touched.map(sessionColumns.decode), current, id);
        return { outcome, recorded: logged.revocation(outcome.outcome === 'revoked' ? [outcome.session] : []) };
      });
      if (revocation.outcome === 'revoked') publish([toEnded(id)]);
      return revocation;
    },

    async revokeOthers(current, cause) {
      const revoked = await record(sql, cause, async (step) => {
        await step.read(lockUserOf, [current]);
        const touched = await step.write(revokeOtherSessions, () => [current, milliseconds()]);
        const { outcome, recorded } = toRecorded(touched.filter((row) => toSessionId(row) !== current));
        return { outcome: touched.length > outcome.length ? outcome : null, recorded };
      });
      publish((revoked ?? []).map(toEnded));
      return revoked;
    },

    async revokeAll(userId, cause) {
      const revoked = await record(sql, cause, async (step) => {
        await step.read(lockUser, [userId]);
        return toRecorded(await step.write(revokeAllSessions, () => [userId, milliseconds()]));
      });
      publish(revoked.map(toEnded));
      return revoked;
    },
  });
}

/** Reads the rows of sessions that a statement ended. */
function toRecorded(ended: readonly SqlRow[]): Recorded<readonly SessionId[]> {
  return { outcome: ended.map(toSessionId), recorded: logged.revocation(ended.map(toEndedSession)) };
}

/** Reads the {@link endedColumns} of a session. */
export function toEndedSession(row: SqlRow): Pick<SessionRecord, 'id' | 'userId' | 'tenantId'> {
  return { id: toSessionId(row), userId: text(row['user_id']), tenantId: textOrNull(row['tenant_id']) };
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
