import { createScryptHasher, type PasswordHasher } from '@x/auth';
import type { Server } from '@x/server';
import type { UserId, UserRecord } from '@x/store';
import { describe, expect, it } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { expectSessionExpired, refreshWith } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const email = 'ada@example.com';
const password = 'correct horse battery';
const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });

describe.each(engines)('the session of a sign-in on %s', (engine) => {
  it('is new, and leaves the one that the request presents unchanged', async () => {
    const { server, client } = await createTestServer({ engine });
    const browser = client();
    const { body } = await browser.post('/api/auth/signup', { email, password });
    const before = new Map(browser.cookies);
    const sidBefore = String(readToken(before.get('app.sid')!).payload['sid']);
    const [stored] = await server.stores.sessions.listActive(body.user.id as UserRecord['id']);

    await browser.post('/api/auth/signin', { email, password });
    expect(readToken(browser.cookies.get('app.sid')!).payload['sid']).not.toBe(sidBefore);
    for (const name of ['app.sid', 'app.ref']) expect(browser.cookies.get(name)).not.toBe(before.get(name));
    const active = await server.stores.sessions.listActive(body.user.id as UserRecord['id']);
    expect(active).toHaveLength(2);
    expect(active).toContainEqual(stored);
  });

  it("belongs to the user who signs in, even if the request presents another user's", async () => {
    const { server, client } = await createTestServer({ engine });
    const eve = client();
    const evesUser = (await eve.post('/api/auth/signup', { email: 'eve@example.com', password })).body.user;
    const ada = await addUser(server, { email, passwordHash: await hasher.hash(password) });
    const browser = client();
    for (const [name, value] of eve.cookies) browser.cookies.set(name, value);
    for (const path of ['/api/auth/signin', '/api/auth/signup'] as const) {
      const address = path === '/api/auth/signin' ? email : 'new@example.com';
      const { body } = await browser.post(path, { email: address, password });
      expect(body.user.email).toBe(address);
      expect(readToken(browser.cookies.get('app.sid')!).payload['sub']).toBe(body.user.id);
    }
    expect(await server.stores.sessions.countActive(ada.id)).toBe(1);
    expect(await server.stores.sessions.countActive(evesUser.id as UserRecord['id'])).toBe(1);
    expect((await eve.get('/api/auth/session')).body.session).toMatchObject({ user: evesUser });
  });

  it('replaces the oldest if it is the 51st, and the JWT of that is refused at once', async () => {
    const { server, client, clock } = await createTestServer({ engine });
    const browsers = Array.from({ length: 51 }, () => client());
    const [oldest, second] = browsers;
    const id = (await oldest!.post('/api/auth/signup', { email, password })).body.user.id as UserRecord['id'];
    for (const browser of browsers.slice(1, 50)) {
      clock.advance(1);
      await browser.post('/api/auth/signin', { email, password });
    }
    const active = async (): Promise<readonly string[]> =>
      (await server.stores.sessions.listActive(id)).map((session) => session.id).toSorted();
    const idOf = ({ cookies }: TestClient): string => String(readToken(cookies.get('app.sid')!).payload['sid']);
    expect(await active()).toEqual(browsers.slice(0, 50).map(idOf).toSorted());
    expect((await oldest!.get('/api/auth/session')).body.session).not.toBeNull();

    clock.advance(1);
    expect((await browsers[50]!.post('/api/auth/signin', { email, password })).status).toBe(200);
    expect(await active()).toEqual(browsers.slice(1).map(idOf).toSorted());
    expect((await oldest!.get('/api/auth/session')).body.session).toBeNull();
    expect((await second!.get('/api/auth/session')).body.session).not.toBeNull();
    const { items } = await server.stores.events.listByUser(id, { limit: 50, after: null });
    expect(items.filter(({ type }) => type === 'session.revoked')).toEqual([
      expect.objectContaining({
        sessionId: idOf(oldest!),
        detail: { reason: 'too_many_sessions', sessionIds: [idOf(oldest!)] },
      }),
    ]);
  });

  it('stores at most 512 characters of the user agent, none of them a control character', async () => {
    const { server, client } = await createTestServer({ engine });
    const user = await addUser(server, { email, passwordHash: await hasher.hash(password) });
    const headers = { 'user-agent': `\u0080a\tb\u009f${'x'.repeat(5000)}` };
    await client().post('/api/auth/signin', { email, password }, { headers });
    const [session] = await server.stores.sessions.listActive(user.id);
    expect(session?.userAgent).toBe(`ab${'x'.repeat(510)}`);
  });

  it('is not stored if the password changes between its verification and the insert', async () => {
    let change: () => Promise<unknown> = async () => null;
    const verify: PasswordHasher['verify'] = async (hash, text) => {
      const isRight = await hasher.verify(hash, text);
      await change();
      return isRight;
    };
    const { server, client } = await createTestServer({ engine, auth: { passwordHasher: { ...hasher, verify } } });
    const user = await addUser(server, { email, passwordHash: await hasher.hash(password) });
    const nextHash = await hasher.hash('a new password');
    change = () => server.stores.users.changePassword(user.id, { expectedHash: user.passwordHash, nextHash });
    const browser = client();
    expect(refusalOf(await browser.post('/api/auth/signin', { email, password }))).toBe('INVALID_CREDENTIALS');
    expect(browser.cookies.size).toBe(0);
    expect(await server.stores.sessions.countActive(user.id)).toBe(0);
  });

  it('never survives a concurrent reset of the password, over 400 rounds', async () => {
    const { server, client } = await createTestServer({ engine });
    const passwordHash = await hasher.hash(password);
    const statuses = new Set<number>();
    for (let batch = 0; batch < 20; batch++) {
      const rounds = Array.from({ length: 20 }, async (_, index) => {
        const user = await addUser(server, { email: `user${batch}.${index}@example.com`, passwordHash });
        const signIn = client().post('/api/auth/signin', { email: user.email, password });
        for (let tick = 0; tick < index; tick++) await new Promise((resolve) => setImmediate(resolve));
        await resetPassword(server, user);
        statuses.add((await signIn).status);
        return server.stores.sessions.countActive(user.id);
      });
      expect(new Set(await Promise.all(rounds))).toEqual(new Set([0]));
    }
    // Each outcome has to occur: otherwise the rounds raced nothing.
    expect(statuses).toEqual(new Set([200, 401]));
  });
});

/** Does the same as a reset in one transaction: it changes the password and ends all sessions. */
async function resetPassword(server: Server, { id, passwordHash }: UserRecord): Promise<void> {
  await server.stores.transaction(async (stores) => {
    await stores.users.changePassword(id, { expectedHash: passwordHash, nextHash: '$argon2id$new' });
    await stores.sessions.revokeAll(id);
  });
}

describe.each(engines)('60 parallel sign-ins on %s', (engine) => {
  it.each([1, 4])('leave 50 sessions, and never more in between, through %i server(s)', async (count) => {
    const database = createTestDatabase(engine);
    const [watcher, ...servers] = await Promise.all(
      Array.from({ length: count + 1 }, () => createTestServer({ database })),
    );
    const first = servers[0]!.client();
    const userId = (await first.post('/api/auth/signup', { email, password })).body.user.id as UserId;
    database.clock.advance(1);
    const watch = watchActive(watcher!, userId);
    const browsers = Array.from({ length: 60 }, (_, index) => servers[index % count]!.client());
    const responses = await Promise.all(
      browsers.map((browser) => browser.post('/api/auth/signin', { email, password })),
    );
    const seen = await watch.stop();

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Math.max(...seen)).toBeLessThanOrEqual(50);
    expect(new Set(seen).size).toBeGreaterThan(1);
    expect(await watcher!.server.stores.sessions.countActive(userId)).toBe(50);
    // The session of the sign-up is the oldest, and was ended first.
    expectSessionExpired(await refreshWith(servers[0]!, first.cookies.get('app.ref')!));
    const statuses = browsers.map(({ cookies }) => refreshWith(servers.at(-1)!, cookies.get('app.ref')!));
    const good = (await Promise.all(statuses)).filter(({ status }) => status === 200);
    expect(good).toHaveLength(50);
  });
});

/** Counts the active sessions of a user over and over until it is stopped, through stores of its own. */
function watchActive({ server }: TestServer, userId: UserId): { readonly stop: () => Promise<readonly number[]> } {
  const seen: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      seen.push(await server.stores.sessions.countActive(userId));
      await new Promise(setImmediate);
    }
  })();
  const stop = async (): Promise<readonly number[]> => {
    isOver = true;
    await watching;
    return [...seen, await server.stores.sessions.countActive(userId)];
  };
  return { stop };
}
