import { createTemporaryFolder } from '../machine/temporary-folder.ts';
import { type Algorithm, serverVariables } from './server-variables.ts';
import { type RunningServer, startServer } from './start-server.ts';

/** Which two servers are compared. */
export interface PairStart {
  /** The file of each that Node runs. */
  readonly floor: string;
  readonly ours: string;
  readonly algorithm: Algorithm;
  /** The cores that each stays on; null for any. */
  readonly cores: string | null;
}

/** A server and the database file that it was told of. */
export interface PairMember extends RunningServer {
  readonly databaseFile: string;
}

/** Starts two servers under the same conditions, each with a new database, and stops them after their use. */
export async function withPair<T>(
  { floor, ours, algorithm, cores }: PairStart,
  use: (floor: PairMember, ours: PairMember) => Promise<T>,
): Promise<T> {
  using folder = createTemporaryFolder();
  const files = { floor: `${folder.path}/floor.db`, ours: `${folder.path}/ours.db` };
  const startMember = (script: string, databaseFile: string): Promise<RunningServer> =>
    startServer({ script, variables: serverVariables({ algorithm, databaseFile }), folder: folder.path, cores });
  await using runningFloor = await startMember(floor, files.floor);
  await using runningOurs = await startMember(ours, files.ours);
  return await use({ ...runningFloor, databaseFile: files.floor }, { ...runningOurs, databaseFile: files.ours });
}
