import type { Cores } from '../machine/cores.ts';
import { createTemporaryFolder } from '../machine/temporary-folder.ts';
import { createDatabases, type DatabaseKind } from './create-databases.ts';
import { type Algorithm, serverVariables } from './server-variables.ts';
import { type RunningServer, startServer } from './start-server.ts';

/** Which server is compared with itself: with what it does for another request. */
export interface OwnStart {
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
