import type {
  CreatedSession,
  SessionId,
  SessionRecord,
  SessionStore,
  SessionTerms,
  UserId,
  UserRecord,
} from '@x/store';
import { compareText } from './compare-text.ts';
import type { Scope } from './scope.ts';
import { fromSessionRow, toSessionRow, type SessionTable } from './session-table.ts';
import type { Tables } from './tables.ts';
import { fromUserRow } from './user-table.ts';

/** Creates the session store of a scope. */
export function createSessionStore(scope: Scope): SessionStore {
  return {
    create: async (session, terms) => {
      // Copied before the step may have to wait for its turn.
      const row = toSessionRow(session);
      return scope.write((tables, now) => {
        const moments = { createdAt: now, rotatedAt: now, lastActiveAt: now };
        return createSession(tables, { ...row, ...moments }, terms);
      });
    },
    findById: async (id) => scope.read(({ sessions }) => toFound(sessions.get(id))),
    findByRefreshHash: async (hash) => scope.read(({ sessions }) => toFound(sessions.find('refreshTokenHash', hash))),
    findByPreviousHash: async (hash) => scope.read(({ sessions }) => toFound(sessions.find('previousTokenHash', hash))),
    rotate: async (id, { expectedHash, nextHash }) =>
      scope.write(({ sessions }, now) => rotate(sessions, { id, expectedHash, nextHash, now })),
    setSecondFactor: async (id) =>
      scope.write(({ sessions }, now) => changeActive(sessions, id, now, () => ({ secondFactorAt: now }))),
    setTenant: async (id, tenantId) =>
      scope.write(({ sessions }, now) => changeActive(sessions, id, now, ({ ver }) => ({ tenantId, ver: ver + 1 }))),
    revoke: async (id, options) => scope.write(({ sessions }, now) => revoke(sessions, id, now, options?.ownedBy)),
    revokeOthers: async (current) => scope.write(({ sessions }, now) => revokeOthers(sessions, current, now)),
    revokeAll: async (userId) =>
      scope.write(({ sessions }, now) => end(sessions, selectActive(sessions, userId, now), now)),
    listActive: async (userId) => scope.read(({ sessions }, now) => listActive(sessions, userId, now)),
    countActive: async (userId) => scope.read(({ sessions }, now) => selectActive(sessions, userId, now).length),
  };
}

function toFound(row: SessionRecord | undefined): SessionRecord | null {
  return row ? fromSessionRow(row) : null;
}

function createSession(tables: Tables, row: SessionRecord, terms: SessionTerms): CreatedSession | null {
  const { users, sessions } = tables;
  const user = users.get(row.userId);
  if (!user || !maySignIn(user, terms)) return null;
  const oldestFirst = selectActive(sessions, row.userId, row.createdAt).toSorted(compareOldest);
  const excess = oldestFirst.slice(0, Math.max(0, oldestFirst.length + 1 - terms.maxActive));
  const revoked = end(sessions, excess, row.createdAt);
  sessions.insert(row);
  return { user: fromUserRow(user), session: fromSessionRow(row), revoked };
}

function maySignIn(user: UserRecord, { expectedPasswordHash }: SessionTerms): boolean {
  if (user.disabledAt !== null) return false;
  return expectedPasswordHash === undefined || expectedPasswordHash === user.passwordHash;
}

function rotate(
  sessions: SessionTable,
  rotation: { readonly id: SessionId; readonly expectedHash: string; readonly nextHash: string; readonly now: Date },
): SessionRecord | null {
  const { id, expectedHash, nextHash, now } = rotation;
  if (sessions.get(id)?.refreshTokenHash !== expectedHash) return null;
  return changeActive(sessions, id, now, ({ generation }) => ({
    refreshTokenHash: nextHash,
    previousTokenHash: expectedHash,
    generation: generation + 1,
    rotatedAt: now,
    lastActiveAt: now,
  }));
}

function changeActive(
  sessions: SessionTable,
  id: SessionId,
  now: Date,
  change: (session: SessionRecord) => Partial<SessionRecord>,
): SessionRecord | null {
  const session = sessions.get(id);
  if (!session || !isActive(session, now)) return null;
  const changed = { ...session, ...change(session) };
  sessions.put(changed);
  return fromSessionRow(changed);
}

function revoke(sessions: SessionTable, id: SessionId, now: Date, ownedBy: UserId | undefined): SessionRecord | null {
  if (ownedBy !== undefined && sessions.get(id)?.userId !== ownedBy) return null;
  return changeActive(sessions, id, now, () => ({ revokedAt: now }));
}

function revokeOthers(sessions: SessionTable, current: SessionId, now: Date): readonly SessionId[] | null {
  const session = sessions.get(current);
  if (!session || !isActive(session, now)) return null;
  const others = selectActive(sessions, session.userId, now).filter(({ id }) => id !== current);
  return end(sessions, others, now);
}

function listActive(sessions: SessionTable, userId: UserId, now: Date): readonly SessionRecord[] {
  return selectActive(sessions, userId, now).toSorted(compareLastActive).map(fromSessionRow);
}

/** Ends sessions and returns their ids. */
function end(sessions: SessionTable, ended: readonly SessionRecord[], now: Date): readonly SessionId[] {
  for (const session of ended) sessions.put({ ...session, revokedAt: now });
  return ended.map(({ id }) => id);
}

function selectActive(sessions: SessionTable, userId: UserId, now: Date): readonly SessionRecord[] {
  return [...sessions.select('unrevokedByUser', userId, (session) => !isActive(session, now))];
}

function isActive(session: SessionRecord, now: Date): boolean {
  return session.revokedAt === null && now < session.expiresAt;
}

function compareOldest(a: SessionRecord, b: SessionRecord): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || compareText(a.id, b.id);
}

function compareLastActive(a: SessionRecord, b: SessionRecord): number {
  return b.lastActiveAt.getTime() - a.lastActiveAt.getTime() || compareText(a.id, b.id);
}
