import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgresServer } from '../../../../tooling/postgres/postgres-server.ts';
import { type Cores, startOnDatabaseCores } from './cores.ts';

/** What the data is kept in. */
export type DatabaseKind = 'sqlite' | 'postgres';

/** The urls of two databases, which go when their user is done. */
interface DatabasePair extends AsyncDisposable {
  readonly floor: string;
  readonly ours: string;
}

/** Creates two empty databases: files below a folder, or both on one Postgres that was started for them. */
export function createDatabases(
  kind: DatabaseKind,
  { folder, cores }: { readonly folder: string; readonly cores: Cores | null },
): Promise<DatabasePair> {
  return kind === 'sqlite' ? Promise.resolve(nameFiles(folder)) : createOnPostgres(cores);
}

/** The servers make the files, and the folder goes with them. */
function nameFiles(folder: string): DatabasePair {
  const pair = { floor: `file:${folder}/floor.db`, ours: `file:${folder}/ours.db` };
  return { ...pair, [Symbol.asyncDispose]: () => Promise.resolve() };
}

async function createOnPostgres(cores: Cores | null): Promise<DatabasePair> {
  const server = await startOnDatabaseCores(cores, () => startPostgresServer({ durable: true }));
  const client = new pg.Client(server.url);
  await client.connect();
  for (const name of ['floor', 'ours']) await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const urlOf = (name: string): string => Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  return { floor: urlOf('floor'), ours: urlOf('ours'), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
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
