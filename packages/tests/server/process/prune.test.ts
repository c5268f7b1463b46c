import { type SessionId, type Stores, toRefreshTokenHash, type UserId } from '@x/store';
import { describe, expect, it, vi } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestDatabase, createTestServer, engines } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const nothing = { sessions: 0, rateLimits: 0, events: 0, mailTokens: 0, oneTimeIds: 0, accounts: 0 };
const [minute, day] = [60_000, 86_400_000];

const sidOf = ({ cookies }: TestClient): SessionId => readToken(cookies.get('app.sid')!).payload['sid'] as SessionId;

/** Stores this many sessions of one user, limits and events, all of which expire at once. */
async function addEnded(stores: Stores, count: number, userId: UserId): Promise<void> {
  await stores.transaction(async (inside) => {
    for (let index = 0; index < count; index += 1) {
      const id = crypto.randomUUID() as SessionId;
      const tokens = { refreshTokenHash: toRefreshTokenHash(id, 'x'), refreshSalt: 'x' };
      const expiresAt = new Date(stores.clock.now().getTime() + 1);
      const proof = { secondFactorAt: null, authenticatedAt: stores.clock.now(), authenticatedBy: 'password' } as const;
      const rest = { ipAddress: null, userAgent: null, ...proof, expiresAt };
      await inside.sessions.create({ id, userId, ...tokens, ...rest }, { maxActive: 1000 });
      await inside.rateLimits.check(`key ${index}`, 1, 1);
    }
  });
}

describe.each(engines)('auth.prune on %s', (engine) => {
  it('deletes sessions a day after their end, whether they were revoked or had expired', async () => {
    const session = { strategy: 'jwt', algorithm: 'ES256', refreshTtl: '2d' } as const;
    const { server, client, clock } = await createTestServer({ engine, auth: { session } });
    const { auth, stores } = server;
    const [revoked, over] = [client(), client()];
    await revoked.post('/api/auth/signup', ada);
    await over.post('/api/auth/signin', ada);
    const [revokedId, overId] = [sidOf(revoked), sidOf(over)];
    const isThere = async (id: SessionId): Promise<boolean> => (await stores.sessions.findById(id)) !== null;
    const state = async (): Promise<readonly boolean[]> => [await isThere(revokedId), await isThere(overId)];
    clock.advance(day);
    await auth.api.signOut(new Headers({ cookie: `app.ref=${revoked.cookies.get('app.ref')}` }));

    clock.advance(day);
    expect([await auth.prune(), await state()]).toMatchObject([{ sessions: 0 }, [true, true]]);
    clock.advance(1);
    expect([await auth.prune(), await state()]).toMatchObject([{ sessions: 1 }, [false, true]]);
    clock.advance(day - 1);
    expect([await auth.prune(), await state()]).toMatchObject([{ sessions: 0 }, [false, true]]);
    clock.advance(1);
    expect([await auth.prune(), await state()]).toMatchObject([{ sessions: 1 }, [false, false]]);
    expect(await auth.prune()).toEqual(nothing);
  });

  it('leaves the refresh token of a revoked session refused, before and after its row is deleted', async () => {
    const { server, client, clock } = await createTestServer({ engine });
    const [browser, other] = [client(), client()];
    await browser.post('/api/auth/signup', ada);
    await other.post('/api/auth/signin', ada);
    const [cookies, id] = [new Map(browser.cookies), sidOf(browser)];
    await browser.post('/api/auth/signout');
    const refused = async (): Promise<readonly unknown[]> => {
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      const row = await server.stores.sessions.findById(id);
      return [refusalOf(await browser.post('/api/auth/refresh')), browser.cookies.size, row !== null];
    };
    clock.advance(day);
    await server.auth.prune();
    expect(await refused()).toEqual(['SESSION_EXPIRED', 0, true]);
    clock.advance(1);
    await server.auth.prune();
    expect(await refused()).toEqual(['SESSION_EXPIRED', 0, false]);
    expect((await browser.post('/api/auth/signout')).status).toBe(200);

    // Active sessions stay.
    expect((await other.post('/api/auth/refresh')).status).toBe(200);
    expect((await other.get('/api/auth/sessions')).status).toBe(200);
    expect((await client().post('/api/auth/signin', ada)).status).toBe(200);
  });

  it('deletes rate-limit windows that are over and no other, so that no limit starts anew', async () => {
    const { server, client, clock } = await createTestServer({
      engine,
      auth: { emailPassword: { rateLimit: { maxAttempts: 1, window: '1m' } } },
    });
    const signIn = async (email: string): Promise<string> =>
      refusalOf(await client('192.0.2.1').post('/api/auth/signin', { email, password: 'wrong' }));
    await signIn('a@example.com');
    clock.advance(1);
    await signIn('b@example.com');
    await signIn('b@example.com');
    clock.advance(minute - 2);
    expect(await server.auth.prune()).toEqual(nothing);
    expect([await signIn('a@example.com'), await signIn('b@example.com')]).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    clock.advance(1);
    expect(await server.auth.prune()).toEqual({ ...nothing, rateLimits: 1 });
    expect(await signIn('b@example.com')).toBe('RATE_LIMITED');
    clock.advance(1);
    expect(await server.auth.prune()).toEqual({ ...nothing, rateLimits: 1 });
    expect(await signIn('a@example.com')).toBe('INVALID_CREDENTIALS');
  });

  it('deletes events older than 365 days, and keeps younger ones and their users', async () => {
    const { server, client, clock } = await createTestServer({ engine });
    const { id } = (await client().post('/api/auth/signup', ada)).body.user;
    const types = async (): Promise<readonly string[]> =>
      (await server.stores.events.listByUser(id as UserId, { limit: 10, after: null })).items.map(({ type }) => type);
    clock.advance(1);
    await client().post('/api/auth/signin', ada);
    clock.advance(365 * day - 1);
    expect(await server.auth.prune()).toMatchObject({ events: 0, sessions: 2 });
    expect(await types()).toEqual(['sign_in.succeeded', 'user.created']);
    clock.advance(1);
    expect(await server.auth.prune()).toMatchObject({ events: 1 });
    expect(await types()).toEqual(['sign_in.succeeded']);
    clock.advance(1);
    expect(await server.auth.prune()).toMatchObject({ events: 1 });
    expect([await types(), await server.auth.prune()]).toEqual([[], nothing]);
    expect((await client().post('/api/auth/signin', ada)).status).toBe(200);
  });

  it('deletes mailed tokens a week after they expire, and used ids as soon as they expire', async () => {
    const { server, client, clock } = await createTestServer({ engine, auth: createMailbox().auth });
    const { auth, stores } = server;
    await client().post('/api/auth/signup', ada);
    await client().post('/api/auth/forgot-password', { email: ada.email });
    await auth.drain();
    await stores.oneTimeIds.claim('used', new Date(clock.now().getTime() + minute));
    clock.advance(minute - 1);
    expect(await auth.prune()).toMatchObject({ mailTokens: 0, oneTimeIds: 0 });
    clock.advance(1);
    expect(await auth.prune()).toMatchObject({ mailTokens: 0, oneTimeIds: 1 });
    clock.advance(7 * day + 59 * minute);
    expect(await auth.prune()).toMatchObject({ mailTokens: 0 });
    clock.advance(1);
    expect(await auth.prune()).toMatchObject({ mailTokens: 1 });
    clock.advance(day);
    expect(await auth.prune()).toMatchObject({ mailTokens: 1 });
  });

  it('deletes many rows in batches of 200', async () => {
    const { server, clock } = await createTestServer({ engine });
    const { stores, auth } = server;
    await addEnded(stores, 401, (await addUser(server, { email: ada.email })).id);
    clock.advance(366 * day);
    const spies = [stores.sessions, stores.rateLimits, stores.events].map((store) => vi.spyOn(store, 'prune'));
    expect(await auth.prune()).toEqual({ ...nothing, sessions: 401, rateLimits: 401, events: 402 });
    const batches = await Promise.all(
      spies.map((spy) => Promise.all(spy.mock.results.map(({ value }) => value as Promise<number>))),
    );
    // There is one more batch, of failed sign-ins.
    expect(batches).toEqual([
      [200, 200, 1],
      [200, 200, 1],
      [200, 200, 2, 0],
    ]);
    expect(await auth.prune()).toEqual(nothing);
  });

  it('stops after the current batch when it is aborted, and continues the next time', async () => {
    const { server, clock } = await createTestServer({ engine });
    const { stores, auth } = server;
    await addEnded(stores, 401, (await addUser(server, { email: ada.email })).id);
    clock.advance(366 * day);
    expect(await auth.prune({ signal: AbortSignal.abort() })).toEqual(nothing);
    for (const [store, deleted] of [
      [stores.sessions, { ...nothing, sessions: 200 }],
      [stores.rateLimits, { ...nothing, sessions: 201, rateLimits: 200 }],
      [stores.events, { ...nothing, rateLimits: 201, events: 200 }],
    ] as const) {
      const stopping = new AbortController();
      const prune = store.prune.bind(store) as (options: { before: Date; limit: number }) => Promise<number>;
      vi.spyOn(store, 'prune').mockImplementationOnce((options: { limit: number }) => {
        stopping.abort();
        return prune(options as { before: Date; limit: number });
      });
      expect(await auth.prune({ signal: stopping.signal })).toEqual(deleted);
    }
    expect(await auth.prune()).toEqual({ ...nothing, events: 202 });
  });

  it('deletes each row once if two processes prune while others sign in', async () => {
    const database = createTestDatabase(engine);
    const servers = [await createTestServer({ database }), await createTestServer({ database })];
    const [{ server, client }] = servers as [(typeof servers)[number]];
    await client().post('/api/auth/signup', ada);
    await addEnded(server.stores, 450, (await addUser(server, { email: 'old@example.com' })).id);
    database.clock.advance(366 * day);
    const signIns = Array.from({ length: 5 }, () => client().post('/api/auth/signin', ada));
    const pruned = await Promise.all(servers.map((one) => one.server.auth.prune()));
    for (const response of await Promise.all(signIns)) expect(response.status).toBe(200);
    const sum = (kind: keyof typeof nothing): number => pruned.reduce((total, counts) => total + counts[kind], 0);
    expect([sum('sessions'), sum('events')]).toEqual([451, 452]);
    // In memory a new window deletes two expired ones.
    expect(sum('rateLimits')).toBeLessThanOrEqual(451);
    expect(await server.auth.prune()).toEqual(nothing);
  });
});
