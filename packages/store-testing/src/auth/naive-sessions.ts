import type {
  AuthenticationMethod,
  Clock,
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
import { sessionIdOfHash } from '@x/store/engine';

/** The session contract read off word by word, on one array: what a store is compared with, never one itself. */
export class NaiveSessions implements SessionStore {
  /** All revocations that are to be reported, in order. */
  readonly revocations: Revocation[] = [];
  #sessions: readonly SessionRecord[] = [];
  readonly #clock: Clock;
  readonly #users: readonly UserRecord[];

  constructor(clock: Clock, users: readonly UserRecord[]) {
    this.#clock = clock;
    this.#users = users;
  }

  async create(session: NewSession, terms: SessionTerms): Promise<CreatedSession | null> {
    const user = this.#users.find(({ id }) => id === session.userId);
    if (!user || user.disabledAt) return null;
    if (terms.expectedPasswordHash !== undefined && terms.expectedPasswordHash !== user.passwordHash) return null;
    const now = this.#clock.now();
    const started = { createdAt: now, rotatedAt: now, lastActiveAt: now };
    const atZero = { previousTokenHash: null, generation: 0, ver: 0, revokedAt: null };
    const created = { ...session, ...started, ...atZero, tenantId: user.tenantId };
    const oldestFirst = this.#active(session.userId).toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    const revoked = oldestFirst.slice(0, Math.max(0, oldestFirst.length + 1 - terms.maxActive));
    for (const { id } of revoked) this.#end(id);
    this.#sessions = [...this.#sessions, created];
    return { user, session: created, revoked: revoked.map(({ id }) => id) };
  }

  async findById(id: SessionId): Promise<SessionRecord | null> {
    return this.#sessions.find((session) => session.id === id) ?? null;
  }

  async findWithUser(id: SessionId): Promise<SessionWithUser | null> {
    const session = await this.findById(id);
    const user = this.#users.find((one) => one.id === session?.userId);
    return session && user ? { session, user } : null;
  }

  async findByRefreshHash(hash: string): Promise<SessionRecord | null> {
    return this.#find(sessionIdOfHash(hash), ({ refreshTokenHash }) => refreshTokenHash === hash);
  }

  async findByPreviousHash(hash: string): Promise<SessionRecord | null> {
    return this.#find(sessionIdOfHash(hash), ({ previousTokenHash }) => previousTokenHash === hash);
  }

  async rotate(id: SessionId, tokens: { expectedHash: string; nextHash: string }): Promise<SessionRecord | null> {
    const session = this.#findActive(id);
    if (session?.refreshTokenHash !== tokens.expectedHash) return null;
    const now = this.#clock.now();
    return this.#change(id, {
      refreshTokenHash: tokens.nextHash,
      previousTokenHash: tokens.expectedHash,
      generation: session.generation + 1,
      rotatedAt: now,
      lastActiveAt: now,
    });
  }

  async forgetPreviousToken(id: SessionId, currentHash: string): Promise<void> {
    const session = await this.findById(id);
    if (session?.refreshTokenHash === currentHash) this.#change(id, { previousTokenHash: null });
  }

  async lockActive(id: SessionId): Promise<SessionWithUser | null> {
    return this.#findActive(id) ? this.findWithUser(id) : null;
  }

  async setAuthenticated(id: SessionId, by: AuthenticationMethod): Promise<SessionRecord | null> {
    if (!this.#findActive(id)) return null;
    return this.#change(id, { authenticatedAt: this.#clock.now(), authenticatedBy: by });
  }

  async setSecondFactor(id: SessionId): Promise<SessionRecord | null> {
    await this.setAuthenticated(id, 'code');
    return this.#findActive(id) ? this.#change(id, { secondFactorAt: this.#clock.now() }) : null;
  }

  async setTenant(id: SessionId, tenantId: string | null): Promise<SessionRecord | null> {
    const session = this.#findActive(id);
    if (!session) return null;
    this.#bumpTokenVersion(session);
    return this.#change(id, { tenantId });
  }

  async leaveTenant(
    userId: UserId,
    { from, to }: { readonly from: string; readonly to: string | null },
  ): Promise<void> {
    for (const session of this.#active(userId).filter(({ tenantId }) => tenantId === from)) {
      this.#bumpTokenVersion(session);
      this.#change(session.id, { tenantId: to });
    }
  }

  async bumpTokenVersion(userId: UserId): Promise<void> {
    for (const session of this.#active(userId)) this.#bumpTokenVersion(session);
  }

  async revoke(id: SessionId): Promise<SessionRecord | null> {
    return (await this.findById(id))?.revokedAt === null ? this.#end(id) : null;
  }

  async revokeOwn(current: SessionId, id: SessionId): Promise<OwnRevocation> {
    const caller = this.#findActive(current);
    if (!caller) return { outcome: 'unauthenticated' };
    const session = this.#findActive(id)?.userId === caller.userId ? this.#end(id) : null;
    return session ? { outcome: 'revoked', session } : { outcome: 'not_found' };
  }

  async revokeOthers(current: SessionId): Promise<readonly SessionId[] | null> {
    const session = this.#findActive(current);
    if (!session) return null;
    const others = this.#active(session.userId).filter(({ id }) => id !== current);
    for (const { id } of others) this.#end(id);
    return others.map(({ id }) => id);
  }

  async revokeAll(userId: UserId): Promise<readonly SessionId[]> {
    const active = this.#active(userId);
    for (const { id } of active) this.#end(id);
    return active.map(({ id }) => id);
  }

  async listActive(userId: UserId): Promise<readonly SessionRecord[]> {
    return this.#active(userId).toSorted(
      (a, b) => b.lastActiveAt.getTime() - a.lastActiveAt.getTime() || (a.id < b.id ? -1 : 1),
    );
  }

  async listOwn(current: SessionId): Promise<readonly SessionRecord[] | null> {
    const session = this.#findActive(current);
    return session ? this.listActive(session.userId) : null;
  }

  async countActive(userId: UserId): Promise<number> {
    return this.#active(userId).length;
  }

  async prune({ before, limit }: { readonly before: Date; readonly limit: number }): Promise<number> {
    const endOf = ({ revokedAt, expiresAt }: SessionRecord): number => (revokedAt ?? expiresAt).getTime();
    const pruned = this.#sessions
      .filter((session) => !this.#isActive(session) && endOf(session) < before.getTime())
      .toSorted((a, b) => endOf(a) - endOf(b))
      .slice(0, limit);
    this.#sessions = this.#sessions.filter((session) => !pruned.includes(session));
    return pruned.length;
  }

  #find(id: SessionId | null, isMeant: (session: SessionRecord) => boolean): SessionRecord | null {
    return this.#sessions.find((session) => session.id === id && isMeant(session)) ?? null;
  }

  #active(userId: UserId): readonly SessionRecord[] {
    return this.#sessions.filter((session) => session.userId === userId && this.#isActive(session));
  }

  #findActive(id: SessionId): SessionRecord | undefined {
    return this.#sessions.find((session) => session.id === id && this.#isActive(session));
  }

  #isActive(session: SessionRecord): boolean {
    return session.revokedAt === null && this.#clock.now() < session.expiresAt;
  }

  #end(id: SessionId): SessionRecord | null {
    this.revocations.push({ sessionId: id, lowestVer: null });
    return this.#change(id, { revokedAt: this.#clock.now() });
  }

  #bumpTokenVersion({ id, ver }: SessionRecord): void {
    this.revocations.push({ sessionId: id, lowestVer: ver + 1 });
    this.#change(id, { ver: ver + 1 });
  }

  #change(id: SessionId, changes: Partial<SessionRecord>): SessionRecord | null {
    this.#sessions = this.#sessions.map((session) => (session.id === id ? { ...session, ...changes } : session));
    return this.#sessions.find((session) => session.id === id) ?? null;
  }
}
