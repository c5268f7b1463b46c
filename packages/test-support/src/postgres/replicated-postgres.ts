import { execFile } from 'node:child_process';
import { chown, mkdir, readdir, rm, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findFreePort } from '../network/free-port.ts';
import { createCluster, type PostgresBinaries, spawnAs } from './postgres-binaries.ts';
import { PostgresServer } from './postgres-server.ts';
import { createServerFolder, type ServerFolder } from './server-folder.ts';

/**
 * Starts a primary and a standby, on ports that they keep whichever is which: a commit is confirmed once both have it
 * on disk. They are of the system's Postgres, since only that brings `pg_basebackup`.
 */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  await using cleanup = new AsyncDisposableStack();
  const binaries = await findSystemBinaries();
  const folders = [cleanup.use(await createServerFolder()), cleanup.use(await createServerFolder())] as const;
  const password = await createCluster(binaries, folders[0].path);
  const open = async (folder: ServerFolder): Promise<Replica> => {
    const options = { folder, executable: binaries.postgres, port: await findFreePort(), password, durable: true };
    return { folder: folder.path, server: new PostgresServer(options) };
  };
  const [primary, standby] = [await open(folders[0]), await open(folders[1])];
  await primary.server.start();
  const servers = new ReplicatedPostgres({ primary, standby, binaries, cleanup: cleanup.move() });
  await servers.rebuildStandby();
  return servers;
}

/** Two servers, one of which takes writes; disposing of them ends them and removes their data. */
export class ReplicatedPostgres implements AsyncDisposable {
  /** Names both, with the superuser and the database `postgres`. */
  readonly url: string;
  readonly #binaries: SystemBinaries;
  readonly #cleanup: AsyncDisposableStack;
  #primary: Replica;
  #standby: Replica;

  constructor(options: {
    readonly primary: Replica;
    readonly standby: Replica;
    readonly binaries: SystemBinaries;
    readonly cleanup: AsyncDisposableStack;
  }) {
    this.#primary = options.primary;
    this.#standby = options.standby;
    this.#binaries = options.binaries;
    this.#cleanup = options.cleanup;
    const [one, other] = [this.#primary.server, this.#standby.server];
    const hosts = `127.0.0.1:${one.port},127.0.0.1:${other.port}`;
    this.url = `postgres://postgres:${one.password}@${hosts}/postgres?target_session_attrs=read-write`;
  }

  get primary(): PostgresServer {
    return this.#primary.server;
  }

  get standby(): PostgresServer {
    return this.#standby.server;
  }

  /** Promotes the standby, and resolves once it takes writes. From then on, the former primary is the standby. */
  async promote(): Promise<void> {
    await this.#query(this.#standby.server, 'SELECT pg_promote()');
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
  }

  /** Makes a standby of the one that does not run, from a copy of the primary; resolves once commits wait for it. */
  async rebuildStandby(): Promise<void> {
    const data = join(this.#standby.folder, 'data');
    await rm(data, { recursive: true, force: true });
    await mkdir(data, { mode: 0o700 });
    if (spawnAs.uid !== undefined)
      for (const path of [this.#standby.folder, data]) await chown(path, spawnAs.uid, 65_534);
    await promisify(execFile)(
      this.#binaries.pgBasebackup,
      ['-D', data, '-d', this.#primary.server.url, '-R', '--checkpoint=fast', '--no-sync'],
      { ...spawnAs, cwd: this.#standby.folder },
    );
    // Once it is promoted, it does not wait for a standby until it has one; a first failed attempt to stream costs 5 s.
    const settings = ["synchronous_standby_names = ''", "wal_retrieve_retry_interval = '100ms'", ''];
    await appendFile(join(data, 'postgresql.auto.conf'), settings.join('\n'));
    await this.#standby.server.start();
    const waitFor = async (state: string): Promise<void> => {
      const find = `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${state}'`;
      while ((await this.#query(this.#primary.server, find)) === 0) await sleep(20);
    };
    await waitFor('async');
    await this.#query(this.#primary.server, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await this.#query(this.#primary.server, 'SELECT pg_reload_conf()');
    await waitFor('sync');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup.disposeAsync();
  }

  /** Runs a statement on one server; returns how many rows it returned. */
  async #query({ url }: PostgresServer, text: string): Promise<number> {
    const client = new Client(url);
    await client.connect();
    try {
      return (await client.query(text)).rows.length;
    } finally {
      await client.end();
    }
  }
}

interface Replica {
  readonly folder: string;
  readonly server: PostgresServer;
}

interface SystemBinaries extends PostgresBinaries {
  readonly pgBasebackup: string;
}

/** @throws Error if Debian's package is not installed */
async function findSystemBinaries(): Promise<SystemBinaries> {
  const root = '/usr/lib/postgresql';
  const versions = await readdir(root).catch(() => []);
  const [newest] = versions.toSorted((a, b) => Number(b) - Number(a));
  if (newest === undefined) throw new Error('There is no pg_basebackup: apt-get install postgresql');
  const [initdb, postgres, pgBasebackup] = ['initdb', 'postgres', 'pg_basebackup'].map((name) =>
    join(root, newest, 'bin', name),
  );
  return { initdb: initdb ?? '', postgres: postgres ?? '', pgBasebackup: pgBasebackup ?? '' };
}
