import type { PgBouncer } from '@x/test-support/postgres';
import type { Cores } from './cores.ts';
import { createDatabases, createTemporaryFolder, type DatabaseKind } from './create-databases.ts';
import { type Algorithm, serverVariables } from './server-variables.ts';
import { type RunningServer, startServer } from './start-server.ts';

/** Which two servers are compared. */
export interface PairStart {
  /** The file of each that Node runs. */
  readonly floor: string;
  readonly ours: string;
  readonly algorithm: Algorithm;
  readonly database: DatabaseKind;
  /** Null for any. */
  readonly cores: Cores | null;
  /** The pooler between our server and its Postgres. Default: none. */
  readonly pooler?: PgBouncer;
  /** On which of the cores each server stays; on one by default. */
  readonly stayOn?: 'server' | 'both';
}

/** A server and the database that it was told of. */
interface PairMember extends RunningServer {
  readonly databaseUrl: string;
}

/** Starts two servers under the same conditions, each with a new database, and stops them after their use. */
export async function withPair<T>(
  { floor, ours, algorithm, database, cores, pooler, stayOn = 'server' }: PairStart,
  use: (floor: PairMember, ours: PairMember) => Promise<T>,
): Promise<T> {
  using folder = createTemporaryFolder();
  await using urls = await createDatabases(database, { folder: folder.path, cores, pooler });
  const startMember = (script: string, databaseUrl: string): Promise<RunningServer> => {
    const variables = serverVariables({ algorithm, databaseUrl });
    return startServer({ script, variables, folder: folder.path, cores: cores && cores[stayOn] });
  };
  await using runningFloor = await startMember(floor, urls.floor);
  await using runningOurs = await startMember(ours, urls.ours);
  return await use({ ...runningFloor, databaseUrl: urls.floor }, { ...runningOurs, databaseUrl: urls.ours });
}

/** Which server is compared with itself: with what it does for another request. */
interface OwnStart {
  /** The file that Node runs. */
  readonly script: string;
  readonly algorithm: Algorithm;
  readonly database: DatabaseKind;
  /** Null for any. */
  readonly cores: Cores | null;
}

/** Starts one server with a new database, and stops it after its use. */
export async function withServer<T>(
  { script, algorithm, database, cores }: OwnStart,
  use: (server: RunningServer) => Promise<T>,
): Promise<T> {
  using folder = createTemporaryFolder();
  await using urls = await createDatabases(database, { folder: folder.path, cores });
  const variables = serverVariables({ algorithm, databaseUrl: urls.ours });
  await using server = await startServer({ script, variables, folder: folder.path, cores: cores && cores.server });
  return await use(server);
}
