import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PgBouncer, startPgBouncer, startPostgres, throughPooler } from '@x/test-support/postgres';
import pg from 'pg';
import { type Cores, startOnDatabaseCores } from './cores.ts';

/** The database that keeps the data. */
export type DatabaseKind = 'sqlite' | 'postgres';

/** The urls of two databases, which go when their user is done. */
interface DatabasePair extends AsyncDisposable {
  readonly floor: string;
  readonly ours: string;
}

/** Where databases are created. */
interface DatabasePlace {
  readonly folder: string;
  readonly cores: Cores | null;
  /** The pooler between ours and its Postgres. Default: none. */
  readonly pooler?: PgBouncer | undefined;
}

/** Creates two empty databases: files below a folder, or both on one Postgres that was started for them. */
export function createDatabases(kind: DatabaseKind, place: DatabasePlace): Promise<DatabasePair> {
  return kind === 'sqlite' ? Promise.resolve(nameFiles(place.folder)) : createOnPostgres(place);
}

/** The servers make the files, and the folder goes with them. */
function nameFiles(folder: string): DatabasePair {
  const pair = { floor: `file:${folder}/floor.db`, ours: `file:${folder}/ours.db` };
  return { ...pair, [Symbol.asyncDispose]: () => Promise.resolve() };
}

async function createOnPostgres({ cores, pooler }: DatabasePlace): Promise<DatabasePair> {
  await using cleanup = new AsyncDisposableStack();
  const server = cleanup.use(await startOnDatabaseCores(cores, () => startPostgres({ durable: true })));
  const client = new pg.Client(server.url);
  await client.connect();
  for (const name of ['floor', 'ours']) await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const urlOf = (name: string): string => Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  const through = async (url: string): Promise<string> => {
    if (!pooler) return url;
    const start = { server: server.url, poolSize: 10, isInTurn: false };
    return throughPooler(cleanup.use(await startOnDatabaseCores(cores, () => startPgBouncer(start, pooler))), url);
  };
  const pair = { floor: urlOf('floor'), ours: await through(urlOf('ours')) };
  const stack = cleanup.move();
  return { ...pair, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** A folder that goes when its user is done. */
interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** Creates a folder below the machine's temporary one (`TMPDIR`), which should be on a real disk. */
export function createTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
