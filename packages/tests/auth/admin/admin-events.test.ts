import type { AuthAdmin } from '@x/auth';
import type { Server } from '@x/server';
import { storeUnavailable, type EventRecord, type UserId } from '@x/store';
import { describe, expect, it, vi } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { hostileStrings } from '../../support/hostile-strings.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** Every operation that changes something, and the event that it records of sessions that it ended. */
const revoked = (sessionIds: readonly string[]) => ({
  ...{ type: 'session.revoked', sessionId: sessionIds.length === 1 ? sessionIds[0] : null },
  detail: { reason: 'operator', sessionIds: expect.toSatisfy(isPermutationOf(sessionIds)) },
});

const isPermutationOf =
  (ids: readonly string[]) =>
  (other: readonly string[]): boolean =>
    ids.toSorted().join() === other.toSorted().join();

const verbs = {
  disableUser: {
    act: (admin: AuthAdmin, id: string, action?: object) => admin.disableUser(id, action),
    events: (sessionIds: readonly string[]) => [
      { type: 'user.disabled', sessionId: null, detail: {} },
      revoked(sessionIds),
    ],
  },
  enableUser: {
    act: (admin: AuthAdmin, id: string, action?: object) => admin.enableUser(id, action),
    events: () => [{ type: 'user.enabled', sessionId: null, detail: {} }],
  },
  setRole: {
    act: (admin: AuthAdmin, id: string, action?: object) => admin.setRole(id, 'editor', action),
    events: () => [{ type: 'user.role_changed', sessionId: null, detail: { role: 'editor' } }],
  },
  signOutUser: {
    act: (admin: AuthAdmin, id: string, action?: object) => admin.signOutUser(id, action),
    events: (sessionIds: readonly string[]) => [revoked(sessionIds)],
  },
  removeMfa: {
    act: (admin: AuthAdmin, id: string, action?: object) => admin.removeMfa(id, action),
    events: () => [{ type: 'mfa.disabled', sessionId: null, detail: { reason: 'operator' } }],
  },
} as const;

const verbNames = Object.keys(verbs) as (keyof typeof verbs)[];

/** A user in a tenant with a second factor and some sessions, and the events that the app receives. */
interface Watched extends TestServer {
  readonly id: string;
  readonly browsers: readonly TestClient[];
  readonly published: EventRecord[];
}

async function createWatched(engine: (typeof engines)[number], sessions = 2): Promise<Watched> {
  const published: EventRecord[] = [];
  const server = await createTestServer({ engine, auth: { onEvent: (event) => void published.push(event) } });
  const passwordHash = await server.server.auth.dependencies.passwords.hasher.hash(ada.password, { ipAddress: null });
  const { id } = await addUser(server.server, { email: ada.email, passwordHash, tenantId: 'acme' });
  await server.server.stores.mfa.startSetup({ userId: id, secret: 'secret', expiresAt: new Date(8.64e15) });
  await server.server.stores.mfa.enable(id, { secret: 'secret', step: 1, backupCodeHashes: ['code'] });
  const browsers = Array.from({ length: sessions }, () => server.client());
  for (const browser of browsers) await browser.post('/api/auth/signin', ada);
  await server.server.auth.drain();
  published.length = 0;
  return { ...server, id, browsers, published };
}

const sidOf = ({ cookies }: TestClient): string => String(readToken(cookies.get('app.sid')!).payload['sid']);

/** Lets the next transaction fail after its last step. */
function failToCommit({ stores }: Server, error: Error): void {
  const transaction = stores.transaction.bind(stores);
  vi.spyOn(stores, 'transaction').mockImplementationOnce((work) =>
    transaction(async (inner) => {
      await work(inner);
      throw error;
    }),
  );
}

/** Everything about a user that an operator can change. */
async function stateOf({ server, id, browsers }: Watched): Promise<unknown> {
  const user = await server.stores.users.findById(id as UserId);
  const factor = await server.stores.mfa.find(id as UserId);
  const sessions = await server.stores.sessions.listActive(id as UserId);
  const events = await server.stores.events.listByUser(id as UserId, { limit: 100, after: null });
  const signedIn = await Promise.all(browsers.map(async (browser) => (await browser.get('/api/auth/session')).body));
  return { user, factor, sessions, events, signedIn };
}

describe.each(engines)('auth.admin on %s', (engine) => {
  it.each(verbNames)('records for %s who did it to whom, when and from where', async (verb) => {
    for (const sessions of [1, 2]) {
      const { server, clock, id, browsers, published } = await createWatched(engine, sessions);
      const ids = browsers.map(sidOf);
      clock.advance(1000);
      const headers = new Headers({ 'user-agent': 'console' });
      const action = { actor: 'operator:grace', request: { headers, ipAddress: '::ffff:192.0.2.9' } };
      await verbs[verb].act(server.auth.admin, id, action);
      await server.auth.drain();
      const recorded = verbs[verb].events(ids).map((event) => ({
        ...{ id: expect.any(String), occurrences: 1, at: clock.now(), userId: id, tenantId: 'acme' },
        ...{ ipAddress: '192.0.2.9', userAgent: 'console', ...event },
        detail: { ...event.detail, actor: 'operator:grace' },
      }));
      expect(published).toEqual(recorded);
      const listed = await server.auth.admin.listEvents({ userId: id, limit: published.length });
      expect(listed).toMatchObject({ value: { items: expect.arrayContaining(published) } });
    }
  });

  it.each(verbNames)('records no actor for %s if none is given', async (verb) => {
    const { server, id, published } = await createWatched(engine);
    await verbs[verb].act(server.auth.admin, id);
    await server.auth.drain();
    expect(published.length).toBeGreaterThan(0);
    for (const event of published) {
      expect(event).toMatchObject({ userId: id, ipAddress: null, userAgent: null });
      expect(event.detail).not.toHaveProperty('actor');
    }
  });

  it.each(verbNames)(
    'fails %s with VALIDATION_FAILED for an actor that cannot be stored, and changes nothing',
    async (verb) => {
      const watched = await createWatched(engine);
      const before = await stateOf(watched);
      for (const actor of ['a\0b', '\ud800', 5, null, {}]) {
        const outcome = await verbs[verb].act(watched.server.auth.admin, watched.id, { actor });
        const issues = [expect.objectContaining({ path: ['actor'] })];
        expect(outcome).toMatchObject({ ok: false, error: { code: 'VALIDATION_FAILED', issues } });
      }
      expect(await stateOf(watched)).toEqual(before);
    },
  );

  it.each(verbNames)('changes nothing by %s and publishes nothing if the transaction fails', async (verb) => {
    const watched = await createWatched(engine);
    const { server, id, published } = watched;
    if (verb === 'enableUser') await server.auth.admin.disableUser(id);
    await server.auth.drain();
    published.length = 0;
    const before = await stateOf(watched);
    failToCommit(server, new Error('the disk is full'));
    await expect(verbs[verb].act(server.auth.admin, id)).rejects.toThrow('the disk is full');
    failToCommit(server, storeUnavailable());
    const unavailable = { ok: false, error: { code: 'SERVICE_UNAVAILABLE' } };
    expect(await verbs[verb].act(server.auth.admin, id)).toMatchObject(unavailable);
    await server.auth.drain();
    expect(published).toEqual([]);
    expect(await stateOf(watched)).toEqual(before);
    expect(await verbs[verb].act(server.auth.admin, id)).toMatchObject({ ok: true });
    expect(await stateOf(watched)).not.toEqual(before);
  });

  it('lists the events of a user or of a tenant, newest first, page by page', async () => {
    const { server, client, clock, id } = await createWatched(engine, 1);
    const { admin } = server.auth;
    for (let count = 0; count < 30; count += 1) {
      clock.advance(count % 3);
      // More failures than that would be counted by one event.
      await client().post('/api/auth/signin', count % 2 === 0 ? ada : { ...ada, password: 'wrong' });
    }
    await client().post('/api/auth/signup', { ...ada, email: 'eve@example.com' });
    for (const query of [{ userId: id }, { tenantId: 'acme' }]) {
      const items: EventRecord[] = [];
      let after: string | null = null;
      do {
        const page = await admin.listEvents({ ...query, limit: 4, after });
        if (!page.ok) throw new Error(page.error.message);
        items.push(...page.value.items);
        after = page.value.nextCursor;
      } while (after !== null);
      // The user, the first sign-in, and the others.
      expect(items).toHaveLength(32);
      expect(new Set(items.map((event) => event.id)).size).toBe(32);
      expect(items.filter(({ type }) => type === 'sign_in.succeeded')).toHaveLength(16);
      const times = items.map(({ at }) => at.getTime());
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(await admin.listEvents(query)).toHaveProperty('value.items.length', 20);
    }
  });

  it('lists no events of an unknown user or tenant for any query', async () => {
    const { server } = await createWatched(engine);
    const empty = { ok: true, value: { items: [], nextCursor: null } };
    for (const id of ['', ...hostileStrings, undefined, null, 5, {}, ['acme']]) {
      expect(await server.auth.admin.listEvents({ userId: id as string })).toMatchObject(empty);
      expect(await server.auth.admin.listEvents({ tenantId: id as string })).toMatchObject(empty);
    }
  });

  it('throws for queries of two things at once, of which one would be ignored', async () => {
    const { server } = await createTestServer({ engine });
    const { admin } = server.auth;
    await expect(admin.listEvents({ userId: 'a', tenantId: 'b' })).rejects.toThrow(TypeError);
    await expect(admin.findUser({ id: 'a', email: ada.email })).rejects.toThrow(TypeError);
  });
});
