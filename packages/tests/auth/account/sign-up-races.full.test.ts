import { createScryptHasher } from '@x/auth';
import { createServer, type Server } from '@x/server';
import { createSqliteStores } from '@x/store-sqlite';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { TestClient } from '../../support/test-client.ts';

const password = 'correct horse battery';

it('creates one account for 100 parallel sign-ups with one address through four servers on one file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'x-server-test-'));
  const servers = await Promise.all(Array.from({ length: 4 }, () => startServer(folder)));
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) => {
      const email = index % 2 === 0 ? 'ada@example.com' : 'ＡＤＡ@Example.com';
      return clientOf(servers[index % servers.length]!).post('/api/auth/signup', { email, password });
    }),
  );
  const [created, ...others] = responses.toSorted((a, b) => a.status - b.status);
  expect(created?.status).toBe(201);
  expect(new Set(others.map(refusalOf))).toEqual(new Set(['USER_EXISTS']));

  const found = await Promise.all(servers.map(({ stores }) => stores.users.findByLoginEmail('ada@example.com')));
  expect(new Set(found.map((user) => user?.id))).toEqual(new Set([created?.body.user.id]));
  expect(await servers[0]!.stores.sessions.countActive(found[0]!.id)).toBe(1);
});

it('gives servers that start together in an empty folder one signing key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'x-server-test-'));
  const servers = await Promise.all(Array.from({ length: 4 }, () => startServer(folder)));
  const browser = clientOf(servers[0]!);
  await browser.post('/api/auth/signup', { email: 'ada@example.com', password });
  for (const server of servers) {
    const elsewhere = clientOf(server);
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    expect((await elsewhere.get('/api/auth/session')).body.session).not.toBeNull();
  }
});

async function startServer(folder: string): Promise<Server> {
  const clock = new ManualClock();
  const server = await createServer({
    database: createSqliteStores({ patience: patient, path: join(folder, 'test.db'), clock }),
    auth: {
      production: false,
      baseUrl: 'http://localhost:3000',
      developmentKeysPath: join(folder, 'keys'),
      session: { strategy: 'jwt', algorithm: 'ES256' },
      passwordHasher: createScryptHasher({ ln: 1, r: 1, p: 1 }),
      // The existing account refuses the others, not the rate limit.
      emailPassword: { rateLimit: { maxAttempts: 1000 } },
    },
  });
  onTestFinished(() => server.close());
  await server.initialize();
  return server;
}

function clientOf(server: Server): TestClient {
  return new TestClient('http://localhost:3000', (request) => server.fetch(request));
}
