import type { AccessModel } from '@x/access';
import { type AuthOptions, createScryptHasher, type NoFields, type UserFields } from '@x/auth';
import { type Entity, toEntityTables } from '@x/entity';
import { createServer, type Server, type ServerOptions } from '@x/server';
import type { Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { enginesOfTier } from '@x/test-support/engines';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { expectDocumented } from './documented-errors.ts';
import { TestClient } from './test-client.ts';

/** The engines that servers are tested on. */
export const engines: readonly ('memory' | 'sqlite')[] = enginesOfTier(['memory', 'sqlite']);

/** A database that several servers can work on. */
export interface TestDatabase {
  /** The clock of all of them. */
  readonly clock: ManualClock;
  /** Opens it for one server: on SQLite as a process of its own would, while all share what is in memory. */
  readonly open: () => Stores;
}

/** Differences from a plain development server. */
export interface TestServerOptions<Fields extends UserFields = NoFields> extends Omit<
  ServerOptions,
  'database' | 'auth'
> {
  readonly engine?: (typeof engines)[number];
  /** Default: a new one of the engine. */
  readonly database?: TestDatabase;
  readonly auth?: Partial<AuthOptions<Fields>>;
}

/** A server in this process, and clients for it. */
export interface TestServer<Fields extends UserFields = NoFields> {
  readonly server: Server<AccessModel, Fields>;
  readonly clock: ManualClock;
  /**
   * Makes a browser of its own. Its requests come from the address that is named; otherwise each comes from another
   * one, so that no limit is met by chance.
   */
  readonly client: (address?: string) => TestClient;
}

/** One folder for all tests of a file: generating RSA keys takes a while. */
const developmentKeysPath = mkdtempSync(join(tmpdir(), 'x-server-test-'));

/** Makes a new database. */
export function createTestDatabase(engine: (typeof engines)[number], declared: readonly Entity[] = []): TestDatabase {
  const clock = new ManualClock();
  const path = temporaryFile();
  const entities = toEntityTables(declared.map(({ model }) => model));
  const inMemory = createMemoryStores({ patience: patient, clock, entities });
  return {
    clock,
    open: () => (engine === 'memory' ? inMemory : createSqliteStores({ patience: patient, path, clock, entities })),
  };
}

/** Starts a development server with cheap passwords; it is closed when the test is over. */
export function createTestServer<const Fields extends UserFields = NoFields>(
  options?: TestServerOptions<Fields>,
): Promise<TestServer<Fields>>;
export async function createTestServer({
  engine = 'memory',
  entities = [],
  database = createTestDatabase(engine, entities),
  auth,
  ...rest
}: TestServerOptions = {}): Promise<TestServer> {
  const { clock } = database;
  const server = await createServer({
    database: database.open(),
    entities,
    ...rest,
    auth: {
      production: false,
      baseUrl: origin,
      developmentKeysPath,
      session: { strategy: 'jwt', algorithm: 'ES256' },
      // Unlike argon2, it needs no threads that every file of tests would have to start.
      passwordHasher: createScryptHasher({ ln: 1, r: 1, p: 1 }),
      ...auth,
      emailPassword: { rateLimit: { maxAttempts: 1_000_000 }, ...auth?.emailPassword },
    },
  });
  await server.initialize();
  onTestFinished(() => server.close());
  const client = (address?: string): TestClient =>
    new TestClient(origin, async (request) => {
      const response = await server.fetch(request, comingFrom(address ?? anyAddress()));
      await expectDocumented(server.auth, request, response);
      return response;
    });
  return { server, clock, client };
}

/** The socket of a request, as `@hono/node-server` exposes it. */
function comingFrom(remoteAddress: string): object {
  return { incoming: { socket: { remoteAddress } } };
}

let addresses = 0;

function anyAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

const origin = 'http://localhost:3000';

function temporaryFile(): string {
  return join(mkdtempSync(join(tmpdir(), 'x-server-test-')), 'test.db');
}
