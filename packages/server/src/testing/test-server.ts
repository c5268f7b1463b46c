import { type AuthOptions, createArgon2Hasher } from '@x/auth';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { ManualClock } from '@x/store/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createServer, type Server, type ServerOptions } from '../create-server.ts';
import { TestClient } from './test-client.ts';

/** The engines that servers are tested on. */
export const engines = ['memory', 'sqlite'] as const;

/** What differs from a plain development server. */
export interface TestServerOptions extends Omit<ServerOptions, 'database' | 'auth'> {
  readonly engine?: (typeof engines)[number];
  readonly auth?: Partial<AuthOptions>;
}

/** A server in this process, and ways to ask it. */
export interface TestServer {
  readonly server: Server;
  readonly clock: ManualClock;
  /** Makes a browser of its own. */
  readonly client: () => TestClient;
}

/** One folder for all tests of a file: generating RSA keys takes a while. */
const developmentKeysPath = mkdtempSync(join(tmpdir(), 'x-server-test-'));

/** Starts a development server with cheap passwords; it is closed when the test is over. */
export async function createTestServer({
  engine = 'memory',
  auth,
  ...rest
}: TestServerOptions = {}): Promise<TestServer> {
  const clock = new ManualClock();
  const database =
    engine === 'memory' ? createMemoryStores({ clock }) : createSqliteStores({ path: temporaryFile(), clock });
  const server = await createServer({
    database,
    ...rest,
    auth: {
      production: false,
      baseUrl: origin,
      developmentKeysPath,
      session: { strategy: 'jwt', algorithm: 'ES256' },
      passwordHasher: createArgon2Hasher({ memoryKib: 8, passes: 1 }),
      ...auth,
    },
  });
  await server.initialize();
  onTestFinished(() => server.close());
  return { server, clock, client: () => new TestClient(origin, (request) => server.fetch(request)) };
}

const origin = 'http://localhost:3000';

function temporaryFile(): string {
  return join(mkdtempSync(join(tmpdir(), 'x-server-test-')), 'test.db');
}
