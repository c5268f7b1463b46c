import type { Clock, CreatedSession, NewSession, SessionRecord, SessionStore, SessionTerms, UserId } from '@x/store';
import { logged, type LoggedChange, type Recorded, sessionIdOfHash } from '@x/store/engine';
import { deleteFirst } from '../delete-first.ts';
import { createRecording } from '../events.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import type { SqlStoreDependencies } from '../store-dependencies.ts';
import { sessionColumns, sessionWithUserColumns, sessionWithUserTables, toSessionWithUser } from './session-columns.ts';
import {
  createSqlRevocations,
  endedColumns,
  type PublishRevocations,
  toEnded,
  toEndedSession,
  toSessionId,
} from './session-revocations.ts';
import { userColumns } from './users.ts';

const insertSession = `
  INSERT INTO auth_sessions (${sessionColumns.names}) VALUES (${sessionColumns.placeholders})
  RETURNING ${sessionColumns.names}`;

const countActive = `
  SELECT COUNT(*) AS active FROM auth_sessions
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2`;

/** The outer conditions re-check rows that another transaction has just changed. */
const revokeOldest = `
  UPDATE auth_sessions SET revoked_at = $2
  WHERE revoked_at IS NULL AND id IN (
    SELECT id FROM auth_sessions
    WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
    ORDER BY created_at DESC, id DESC LIMIT 9223372036854775807 OFFSET $3
  )
  RETURNING ${endedColumns}`;

const selectById = `SELECT ${sessionColumns.names} FROM auth_sessions WHERE id = $1`;

const selectWithUser = `SELECT ${sessionWithUserColumns} FROM ${sessionWithUserTables} WHERE s.id = $1`;

// A hash names its session, so neither hash column needs an index, which every rotation would have to update.

const selectByRefreshHash = `
  SELECT ${sessionColumns.names} FROM auth_sessions WHERE id = $1 AND refresh_token_hash = $2`;

const selectByPreviousHash = `
  SELECT ${sessionColumns.names} FROM auth_sessions WHERE id = $1 AND previous_token_hash = $2`;

const rotateTokens = `
  UPDATE auth_sessions
  SET previous_token_hash = refresh_token_hash, refresh_token_hash = $3, generation = generation + 1,
    rotated_at = $4, last_active_at = $4
  WHERE id = $1 AND refresh_token_hash = $2 AND revoked_at IS NULL AND expires_at > $4
  RETURNING ${sessionColumns.names}`;

const deletePreviousToken = `
  UPDATE auth_sessions SET previous_token_hash = NULL
  WHERE id = $1 AND refresh_token_hash = $2 AND previous_token_hash IS NOT NULL`;

const updateAuthentication = `
  UPDATE auth_sessions SET authenticated_at = $2, authenticated_by = $3
  WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
  RETURNING ${sessionColumns.names}`;

const updateSecondFactor = `
  UPDATE auth_sessions SET second_factor_at = $2, authenticated_at = $2, authenticated_by = 'code'
  WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
  RETURNING ${sessionColumns.names}`;

const updateTenant = `
  UPDATE auth_sessions SET tenant_id = $2, ver = ver + 1
  WHERE id = $1 AND revoked_at IS NULL AND expires_at > $3
  RETURNING ${sessionColumns.names}`;

const selectActive = `
  SELECT ${sessionColumns.names} FROM auth_sessions
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
  ORDER BY last_active_at DESC, id`;

/** An active session is in its own list, so an empty one means that it is not active. */
const selectOwn = `
  SELECT ${sessionColumns.names} FROM auth_sessions
  WHERE revoked_at IS NULL AND expires_at > $2 AND user_id = (
    SELECT user_id FROM auth_sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2
  )
  ORDER BY last_active_at DESC, id`;

/** The statements that lock or skip rows, which engines write differently. */
const toLockStatements = (dialect: SqlDialect) => ({
  /** The user who signs in, if they may. */
  lockSignIn: `
  SELECT ${userColumns.names} FROM auth_users
  WHERE id = $1 AND disabled_at IS NULL AND ($2 OR password_hash IS NOT DISTINCT FROM $3) ${dialect.lockRow}`,

  lockUserOf: `
  SELECT ${userColumns.names} FROM auth_users
  WHERE id = (SELECT user_id FROM auth_sessions WHERE id = $1) ${dialect.lockRow}`,

  lockActive: `
  SELECT ${sessionColumns.names} FROM auth_sessions
  WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2 ${dialect.lockRow}`,

  deleteEnded: deleteFirst(dialect, {
    table: 'auth_sessions',
    key: 'id',
    where: 'COALESCE(revoked_at, expires_at) < $1',
    order: 'COALESCE(revoked_at, expires_at), id',
  }),
});

/** Builds the session store. */
export function createSqlSessions({
  dialect,
  clock,
}: SqlStoreDependencies): (sql: SqlExecutor, publish: PublishRevocations) => SessionStore {
  const milliseconds = (): number => clock.now().getTime();
  const { lockSignIn, lockUserOf, lockActive, deleteEnded } = toLockStatements(dialect);
  const revocations = createSqlRevocations({ dialect, clock });
  const { record } = createRecording({ clock });
  return (sql, publish) => ({
    ...revocations(sql, publish),

    async create(session, terms, cause) {
      const created = await record(sql, cause, (step) => createSession(step, { ...terms, session, lockSignIn, clock }));
      if (created) publish(created.revoked.map(toEnded));
      return created;
    },

    findById: async (id) => sessionColumns.decodeFirst(await sql.read(selectById, [id])),

    findWithUser: async (id) => toSessionWithUser(await sql.read(selectWithUser, [id])),

    findByRefreshHash: async (hash) =>
      sessionColumns.decodeFirst(await sql.read(selectByRefreshHash, [sessionIdOfHash(hash), hash])),

    findByPreviousHash: async (hash) =>
      sessionColumns.decodeFirst(await sql.read(selectByPreviousHash, [sessionIdOfHash(hash), hash])),

    rotate: async (id, { expectedHash, nextHash }) =>
      sessionColumns.decodeFirst(await sql.write(rotateTokens, () => [id, expectedHash, nextHash, milliseconds()])),

    async forgetPreviousToken(id, currentHash) {
      await sql.execute(deletePreviousToken, [id, currentHash]);
    },

    lockActive: (id) =>
      sql.step(async (step) => {
        const user = userColumns.decodeFirst(await step.read(lockUserOf, [id]));
        if (!user) return null;
        const session = sessionColumns.decodeFirst(await step.read(lockActive, () => [id, milliseconds()]));
        return session && { session, user };
      }),

    setAuthenticated: (id, by, cause) =>
      record(sql, cause, async (step) => {
        const rows = await step.write(updateAuthentication, () => [id, milliseconds(), by]);
        return recordedSession(rows, (session) => logged.session('session.confirmed', session, { by }));
      }),

    setSecondFactor: (id, cause) =>
      record(sql, cause, async (step) => {
        const rows = await step.write(updateSecondFactor, () => [id, milliseconds()]);
        return recordedSession(rows, (session) => logged.session('mfa.verified', session));
      }),

    async setTenant(id, tenantId, cause) {
      const session = await record(sql, cause, async (step) => {
        const before = sessionColumns.decodeFirst(await step.read(lockActive, () => [id, milliseconds()]));
        const rows = await step.write(updateTenant, () => [id, tenantId, milliseconds()]);
        const from = before?.tenantId ?? null;
        return recordedSession(rows, (moved) => logged.session('session.tenant_switched', moved, { from }));
      });
      if (session) publish([{ sessionId: id, lowestVer: session.ver }]);
      return session;
    },

    async listActive(userId) {
      const rows = await sql.read(selectActive, () => [userId, milliseconds()]);
      return rows.map(sessionColumns.decode);
    },

    async listOwn(current) {
      const rows = await sql.read(selectOwn, () => [current, milliseconds()]);
      return rows.length > 0 ? rows.map(sessionColumns.decode) : null;
    },

    countActive: async (userId) => toCount(await sql.read(countActive, () => [userId, milliseconds()])),

    prune({ before, limit }) {
      const moment = before.getTime();
      // An active session is kept at any `before`; a session is over at its very last moment.
      return sql.execute(deleteEnded, () => [Math.min(moment, milliseconds() + 1), limit]);
    },
  });
}

interface SessionCreation extends SessionTerms {
  readonly session: NewSession;
  readonly lockSignIn: string;
  readonly clock: Clock;
}

/** Stores a session and revokes those above the maximum; null if the user may not sign in under these conditions. */
async function createSession(
  step: SqlExecutor,
  { session: newSession, maxActive, expectedPasswordHash, lockSignIn, clock }: SessionCreation,
): Promise<Recorded<CreatedSession | null>> {
  const { userId } = newSession;
  const anyPassword = expectedPasswordHash === undefined;
  const user = userColumns.decodeFirst(
    await step.read(lockSignIn, [userId, anyPassword, expectedPasswordHash ?? null]),
  );
  if (!user) return { outcome: null, recorded: [] };
  // All statements use the same moment, after the wait for the user's row.
  const now = clock.now();
  const revoked = await makeRoom(step, { userId, now: now.getTime(), atMost: maxActive - 1 });
  const stored = toStored(newSession, user.tenantId, now);
  const session = sessionColumns.decodeFirst(await step.write(insertSession, sessionColumns.encode(stored)));
  if (!session) throw new TypeError('An insert returned no row.');
  return {
    outcome: { user, session, revoked: revoked.map(toSessionId) },
    recorded: [
      logged.session('sign_in.succeeded', session),
      ...logged.revocation(revoked.map(toEndedSession), 'too_many_sessions'),
    ],
  };
}

function recordedSession(
  rows: readonly SqlRow[],
  log: (session: SessionRecord) => LoggedChange,
): Recorded<SessionRecord | null> {
  const session = sessionColumns.decodeFirst(rows);
  return { outcome: session, recorded: session ? [log(session)] : [] };
}

function toStored(session: NewSession, tenantId: string | null, now: Date): SessionRecord {
  return {
    ...session,
    tenantId,
    previousTokenHash: null,
    generation: 0,
    ver: 0,
    createdAt: now,
    rotatedAt: now,
    lastActiveAt: now,
    revokedAt: null,
  };
}

/** Counting first takes a fifth of the time of looking for the oldest, and hardly anybody has too many. */
async function makeRoom(
  step: SqlExecutor,
  { userId, now, atMost }: { readonly userId: UserId; readonly now: number; readonly atMost: number },
): Promise<readonly SqlRow[]> {
  const active = toCount(await step.read(countActive, [userId, now]));
  return active > atMost ? step.write(revokeOldest, [userId, now, atMost]) : [];
}

function toCount([row]: readonly SqlRow[]): number {
  return Number(row?.['active']);
}
