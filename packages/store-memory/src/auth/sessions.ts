import type {
  CreatedSession,
  NewSession,
  OwnRevocation,
  Revocation,
  SessionId,
  SessionRecord,
  SessionStore,
  SessionTerms,
  SessionWithUser,
  UserId,
  UserRecord,
} from '@x/store';
import { logged, type LoggedChange, type Recorded, sessionIdOfHash } from '@x/store/engine';
import type { StepExecutor } from '../database/executor.ts';
import { Table } from '../database/table.ts';
import { compareText, copyDate, copyRow } from '../database/values.ts';
import { type EventTable, record } from '../events.ts';
import type { UserTable } from './users.ts';

/** Creates the session store. */
export function createSessionStore(executor: StepExecutor<SessionTables>): SessionStore {
  return {
    create: async (session, terms, cause) => {
      // Copied first: the caller may change it while the step waits.
      const row = toSessionRow(session);
      return record(executor, cause, (tables, now) => {
        const moments = { createdAt: now, rotatedAt: now, lastActiveAt: now };
        return createSession(tables, { ...row, ...moments }, terms);
      });
    },
    findById: async (id) => executor.read(({ sessions }) => toFound(sessions.get(id))),
    findWithUser: async (id) => executor.read((tables) => findWithUser(tables, id)),
    findByRefreshHash: async (hash) => executor.read(({ sessions }) => findByHash(sessions, 'refreshTokenHash', hash)),
    findByPreviousHash: async (hash) =>
      executor.read(({ sessions }) => findByHash(sessions, 'previousTokenHash', hash)),
    rotate: async (id, { expectedHash, nextHash }) =>
      executor.write(({ sessions }, now) => rotate(sessions, { id, expectedHash, nextHash, now })),
    forgetPreviousToken: async (id, currentHash) =>
      executor.write(({ sessions }) => forgetPreviousToken(sessions, id, currentHash)),
    // During a transaction, no other caller writes.
    lockActive: async (id) =>
      executor.read((tables, now) => (findActive(tables.sessions, id, now) ? findWithUser(tables, id) : null)),
    setAuthenticated: async (id, by, cause) =>
      record(executor, cause, ({ sessions }, now) => {
        const confirmed = changeActive(sessions, id, now, { authenticatedAt: now, authenticatedBy: by });
        return recordedSession(confirmed, (session) => logged.session('session.confirmed', session, { by }));
      }),
    setSecondFactor: async (id, cause) =>
      record(executor, cause, ({ sessions }, now) => {
        const proof = { secondFactorAt: now, authenticatedAt: now, authenticatedBy: 'code' } as const;
        const verified = changeActive(sessions, id, now, proof);
        return recordedSession(verified, (session) => logged.session('mfa.verified', session));
      }),
    setTenant: async (id, tenantId, cause) =>
      record(executor, cause, (tables, now) => setTenant(tables, id, tenantId, now)),
    leaveTenant: async (userId, ends, cause) =>
      record(executor, cause, (tables, now) => leaveTenant(tables, userId, ends, now)),
    bumpTokenVersion: async (userId) => executor.write((tables, now) => bumpTokenVersion(tables, userId, now)),
    revoke: async (id, cause) => record(executor, cause, (tables, now) => revoke(tables, id, now)),
    revokeOwn: async (current, id, cause) =>
      record(executor, cause, (tables, now) => revokeOwn(tables, current, id, now)),
    revokeOthers: async (current, cause) =>
      record(executor, cause, (tables, now) => revokeOthers(tables, current, now)),
    revokeAll: async (userId, cause) =>
      record(executor, cause, (tables, now) => end(tables, selectActive(tables.sessions, userId, now), now)),
    listActive: async (userId) => executor.read(({ sessions }, now) => listActive(sessions, userId, now)),
    listOwn: async (current) => executor.read(({ sessions }, now) => listOwn(sessions, current, now)),
    countActive: async (userId) => executor.read(({ sessions }, now) => selectActive(sessions, userId, now).length),
    prune: async ({ before, limit }) => {
      const moment = before.getTime();
      return executor.write(({ sessions }, now) =>
        sessions.prune('byEnd', limit, (session) => endOf(session).getTime() < moment && !isActive(session, now)),
      );
    },
  };
}

interface SessionTables {
  readonly sessions: SessionTable;
  readonly users: UserTable;
  readonly revocations: Revocation[];
  readonly events: EventTable;
}

function toFound(row: SessionRecord | undefined): SessionRecord | null {
  return row ? copyRow(row) : null;
}

function findWithUser({ sessions, users }: SessionTables, id: SessionId): SessionWithUser | null {
  const session = sessions.get(id);
  const user = session && users.get(session.userId);
  return user ? { session: copyRow(session), user: copyRow(user) } : null;
}

function findByHash(
  sessions: SessionTable,
  field: 'refreshTokenHash' | 'previousTokenHash',
  hash: string,
): SessionRecord | null {
  const id = sessionIdOfHash(hash);
  const session = id === null ? undefined : sessions.get(id);
  return session?.[field] === hash ? copyRow(session) : null;
}

function createSession(
  tables: SessionTables,
  newRow: Omit<SessionRecord, 'tenantId'>,
  terms: SessionTerms,
): Recorded<CreatedSession | null> {
  const { users, sessions } = tables;
  const user = users.get(newRow.userId);
  if (!user || !maySignIn(user, terms)) return { outcome: null, recorded: [] };
  const row = { ...newRow, tenantId: user.tenantId };
  const active = selectActive(sessions, row.userId, row.createdAt);
  const excess = takeOldest(active, active.length + 1 - terms.maxActive);
  sessions.insert(row);
  const { outcome: revoked } = end(tables, excess, row.createdAt);
  return {
    outcome: { user: copyRow(user), session: copyRow(row), revoked },
    recorded: [logged.session('sign_in.succeeded', row), ...logged.revocation(excess, 'too_many_sessions')],
  };
}

function recordedSession(
  session: SessionRecord | null,
  log: (session: SessionRecord) => LoggedChange,
): Recorded<SessionRecord | null> {
  return { outcome: session, recorded: session ? [log(session)] : [] };
}

function maySignIn(user: UserRecord, { expectedPasswordHash }: SessionTerms): boolean {
  if (user.disabledAt !== null) return false;
  return expectedPasswordHash === undefined || expectedPasswordHash === user.passwordHash;
}

function takeOldest(sessions: readonly SessionRecord[], count: number): readonly SessionRecord[] {
  return count > 0 ? sessions.toSorted(compareOldest).slice(0, count) : [];
}

function compareOldest(a: SessionRecord, b: SessionRecord): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || compareText(a.id, b.id);
}

function rotate(
  sessions: SessionTable,
  rotation: { readonly id: SessionId; readonly expectedHash: string; readonly nextHash: string; readonly now: Date },
): SessionRecord | null {
  const { id, expectedHash, nextHash, now } = rotation;
  const session = sessions.get(id);
  if (session?.refreshTokenHash !== expectedHash) return null;
  return changeActive(sessions, id, now, {
    refreshTokenHash: nextHash,
    previousTokenHash: expectedHash,
    generation: session.generation + 1,
    rotatedAt: now,
    lastActiveAt: now,
  });
}

function forgetPreviousToken(sessions: SessionTable, id: SessionId, currentHash: string): void {
  const session = sessions.get(id);
  if (session?.refreshTokenHash === currentHash) sessions.put({ ...session, previousTokenHash: null });
}

function changeActive(
  sessions: SessionTable,
  id: SessionId,
  now: Date,
  changes: Partial<SessionRecord>,
): SessionRecord | null {
  const session = findActive(sessions, id, now);
  if (!session) return null;
  const changed = { ...session, ...changes };
  sessions.put(changed);
  return copyRow(changed);
}

function setTenant(
  tables: SessionTables,
  id: SessionId,
  tenantId: string | null,
  now: Date,
): Recorded<SessionRecord | null> {
  const session = findActive(tables.sessions, id, now);
  const moved = session && copyRow(putNextVer(tables, { ...session, tenantId }));
  const from = session?.tenantId ?? null;
  return recordedSession(moved, (row) => logged.session('session.tenant_switched', row, { from }));
}

function leaveTenant(
  tables: SessionTables,
  userId: UserId,
  { from, to }: { readonly from: string; readonly to: string | null },
  now: Date,
): Recorded<void> {
  const moved = selectActive(tables.sessions, userId, now).filter(({ tenantId }) => tenantId === from);
  for (const session of moved) putNextVer(tables, { ...session, tenantId: to });
  const ids = moved.map(({ id }) => id);
  return { outcome: undefined, recorded: logged.departure(userId, from, ids) };
}

function bumpTokenVersion(tables: SessionTables, userId: UserId, now: Date): void {
  for (const session of selectActive(tables.sessions, userId, now)) putNextVer(tables, session);
}

function putNextVer({ sessions, revocations }: SessionTables, session: SessionRecord): SessionRecord {
  const raised = { ...session, ver: session.ver + 1 };
  sessions.put(raised);
  revocations.push({ sessionId: raised.id, lowestVer: raised.ver });
  return raised;
}

function revoke(tables: SessionTables, id: SessionId, now: Date): Recorded<SessionRecord | null> {
  const session = tables.sessions.get(id);
  if (session?.revokedAt !== null) return { outcome: null, recorded: [] };
  return { outcome: copyRow(putRevoked(tables, session, now)), recorded: logged.revocation([session]) };
}

function revokeOwn(tables: SessionTables, current: SessionId, id: SessionId, now: Date): Recorded<OwnRevocation> {
  const caller = findActive(tables.sessions, current, now);
  if (!caller) return { outcome: { outcome: 'unauthenticated' }, recorded: [] };
  const session = findActive(tables.sessions, id, now);
  if (session?.userId !== caller.userId) return { outcome: { outcome: 'not_found' }, recorded: [] };
  const revoked = copyRow(putRevoked(tables, session, now));
  return { outcome: { outcome: 'revoked', session: revoked }, recorded: logged.revocation([session]) };
}

function revokeOthers(tables: SessionTables, current: SessionId, now: Date): Recorded<readonly SessionId[] | null> {
  const session = findActive(tables.sessions, current, now);
  if (!session) return { outcome: null, recorded: [] };
  const others = selectActive(tables.sessions, session.userId, now).filter(({ id }) => id !== current);
  return end(tables, others, now);
}

/** Ends sessions of one user and returns their ids. */
function end(tables: SessionTables, ended: readonly SessionRecord[], now: Date): Recorded<readonly SessionId[]> {
  const ids = ended.map((session) => putRevoked(tables, session, now).id);
  return { outcome: ids, recorded: logged.revocation(ended) };
}

function putRevoked({ sessions, revocations }: SessionTables, session: SessionRecord, now: Date): SessionRecord {
  const revoked = { ...session, revokedAt: now };
  sessions.put(revoked);
  revocations.push({ sessionId: revoked.id, lowestVer: null });
  return revoked;
}

function listActive(sessions: SessionTable, userId: UserId, now: Date): readonly SessionRecord[] {
  return selectActive(sessions, userId, now).toSorted(compareLastActive).map(copyRow);
}

function compareLastActive(a: SessionRecord, b: SessionRecord): number {
  return b.lastActiveAt.getTime() - a.lastActiveAt.getTime() || compareText(a.id, b.id);
}

function listOwn(sessions: SessionTable, current: SessionId, now: Date): readonly SessionRecord[] | null {
  const session = findActive(sessions, current, now);
  return session ? listActive(sessions, session.userId, now) : null;
}

function findActive(sessions: SessionTable, id: SessionId, now: Date): SessionRecord | null {
  const session = sessions.get(id);
  return session && isActive(session, now) ? session : null;
}

function selectActive(sessions: SessionTable, userId: UserId, now: Date): readonly SessionRecord[] {
  return [...sessions.select('byUser', userId, (session) => !isActive(session, now))];
}

function isActive(session: SessionRecord, now: Date): boolean {
  return session.revokedAt === null && now < session.expiresAt;
}

/** Sessions, indexed by id and ordered by their end; per user, revoked ones come first, then the others by expiry. */
export type SessionTable = Table<SessionRecord, never, 'byUser' | 'byEnd'>;

/** Creates an empty table of sessions. */
export function createSessionTable(): SessionTable {
  return new Table({
    keyOf: (session) => session.id,
    owner: 'byUser',
    unique: {},
    ordered: {
      byUser: {
        groupOf: (session) => session.userId,
        compare: (a, b) => compareRevokedFirst(a, b) || compareExpiry(a, b) || compareText(a.id, b.id),
      },
      byEnd: {
        compare: (a, b) => endOf(a).getTime() - endOf(b).getTime() || compareText(a.id, b.id),
      },
    },
  });
}

function compareRevokedFirst(a: SessionRecord, b: SessionRecord): number {
  return Number(a.revokedAt === null) - Number(b.revokedAt === null);
}

function compareExpiry(a: SessionRecord, b: SessionRecord): number {
  return a.expiresAt.getTime() - b.expiresAt.getTime();
}

/** Returns when a session ended, or will end. */
function endOf({ revokedAt, expiresAt }: SessionRecord): Date {
  return revokedAt ?? expiresAt;
}

/** Builds the row of a new session, except the times of the sign-in and the tenant. */
function toSessionRow(
  session: NewSession,
): Omit<SessionRecord, 'createdAt' | 'rotatedAt' | 'lastActiveAt' | 'tenantId'> {
  return {
    id: session.id,
    userId: session.userId,
    refreshTokenHash: session.refreshTokenHash,
    previousTokenHash: null,
    refreshSalt: session.refreshSalt,
    generation: 0,
    ipAddress: session.ipAddress,
    userAgent: session.userAgent,
    secondFactorAt: copyDate(session.secondFactorAt),
    authenticatedAt: copyDate(session.authenticatedAt),
    authenticatedBy: session.authenticatedBy,
    ver: 0,
    expiresAt: copyDate(session.expiresAt),
    revokedAt: null,
  };
}
