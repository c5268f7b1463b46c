import type { AuthOptions } from '@x/auth';
import type { Stores } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { createMigratedDatabase } from '@x/test-support/database';
import { expect, it, onTestFinished } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts';
import { locationOf, providersOf, start } from '../../support/oauth-server.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, type TestServer } from '../../support/test-server.ts';

const ada = { sub: 'g-1', id: 1, email: 'ada@example.com', email_verified: true };

/** Starts four servers like four processes on one Postgres, with the same providers. */
async function startFour(auth: Partial<AuthOptions> = {}): Promise<{
  readonly servers: readonly [TestServer, TestServer, TestServer, TestServer];
  readonly fake: FakeProvider;
}> {
  const database = await createMigratedDatabase();
  onTestFinished(() => database.drop());
  const clock = new ManualClock();
  const fake = await startFakeProvider(() => clock.now());
  const open = (): Stores => createPostgresStores({ patience: patient, url: database.url, clock, maxConnections: 4 });
  const startOne = (): Promise<TestServer> =>
    createTestServer({ database: { clock, open }, auth: { ...providersOf(fake), ...auth } });
  const servers = [await startOne(), await startOne(), await startOne(), await startOne()] as const;
  return { servers, fake };
}

/** Starts a flow in each browser, and completes all of them at once. */
async function endAtOnce(
  browsers: readonly TestClient[],
  provider: string,
  fake: FakeProvider,
): Promise<ReadonlySet<string>> {
  const paths = await Promise.all(browsers.map(async (each) => fake.consent(await start(each, provider), ada)));
  const responses = await Promise.all(browsers.map((each, index) => each.get(paths[index] ?? '')));
  return new Set(responses.map(locationOf));
}

it('signs in one user with one link for 50 concurrent first callbacks on four processes and Postgres', async () => {
  const created: string[] = [];
  const { servers, fake } = await startFour({ onUserCreated: ({ user }) => void created.push(user.id) });
  for (const [round, provider] of ['google', 'github'].entries()) {
    const browsers = Array.from({ length: 50 }, (_, index) => servers[(index % 4) as 0].client());
    expect(await endAtOnce(browsers, provider, fake)).toEqual(new Set(['/']));
    const { stores } = servers[0].server;
    const { items } = await stores.users.list({ limit: 10, after: null });
    expect(items).toHaveLength(round + 1);
    expect(new Set(created)).toEqual(new Set(items.map(({ id }) => id)));
    expect(created).toHaveLength(round + 1);
    for (const { id } of items) {
      expect(await stores.oauthAccounts.list(id)).toHaveLength(1);
      expect(await stores.sessions.countActive(id)).toBe(50);
    }
  }
});

it('reclaims an account once for 20 concurrent callbacks of its owner', async () => {
  const { servers, fake } = await startFour();
  const { server } = servers[0];
  const { id } = await addUser(server, { email: 'ada@example.com', passwordHash: 'hash' });
  const browsers = Array.from({ length: 20 }, (_, index) => servers[(index % 4) as 0].client());
  expect(await endAtOnce(browsers, 'google', fake)).toEqual(new Set(['/']));
  const { items } = await server.stores.events.listByUser(id, { limit: 100, after: null });
  const count = (type: string): number => items.filter((event) => event.type === type).length;
  expect([count('account.reclaimed'), count('oauth_account.linked'), count('session.revoked')]).toEqual([1, 1, 0]);
  expect(count('sign_in.succeeded')).toBe(20);
  expect(await server.stores.users.findById(id)).toMatchObject({ passwordHash: null, emailVerified: true });
  expect(await server.stores.sessions.countActive(id)).toBe(20);
});

it('starts one session for 20 callbacks with one URL and one cookie on four processes', async () => {
  const { servers, fake } = await startFour();
  const browser = servers[0].client();
  const path = fake.consent(await start(browser, 'google'), ada);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => servers[(index % 4) as 0].client().get(path, { headers: { cookie } })),
  );
  expect(responses.map(locationOf).filter((location) => location === '/')).toHaveLength(1);
  expect(fake.calls.filter((call) => call === '/token')).toHaveLength(1);
  const [user] = (await servers[0].server.stores.users.list({ limit: 10, after: null })).items;
  expect(user && (await servers[0].server.stores.sessions.countActive(user.id))).toBe(1);
});
