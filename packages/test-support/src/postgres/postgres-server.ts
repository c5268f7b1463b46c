import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findFreePort } from '../network/free-port.ts';
import { createCluster, findPostgresBinaries, type PostgresBinaries, spawnAs } from './postgres-binaries.ts';
import { createServerFolder, type ServerFolder } from './server-folder.ts';

/** Which Postgres to start. */
interface ServerOptions {
  readonly durable: boolean;
  /** Default: that of this repository. */
  readonly installed?: PostgresBinaries;
}

/**
 * Starts a Postgres of its own on 127.0.0.1 with empty data. One that is not durable is quicker and survives `kill()`
 * too, but would lose commits with the machine.
 */
export async function startPostgres({ installed, ...options }: ServerOptions): Promise<PostgresServer> {
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await createServerFolder());
  const binaries = await findPostgresBinaries(folder.path, installed);
  const password = await createCluster(binaries, folder.path);
  const port = await findFreePort();
  const server = new PostgresServer({ folder, executable: binaries.postgres, port, password, ...options });
  await server.start();
  cleanup.move();
  return server;
}

/** A running server; disposing of it ends it and removes its data. */
export class PostgresServer implements AsyncDisposable {
  readonly port: number;
  /** Of its superuser `postgres`. */
  readonly password: string;
  /** Names the superuser and the database `postgres`. */
  readonly url: string;
  readonly #folder: ServerFolder;
  readonly #executable: string;
  readonly #flags: readonly string[];
  #postmaster: ChildProcess | undefined;

  constructor(options: { folder: ServerFolder; executable: string; port: number; password: string; durable: boolean }) {
    this.port = options.port;
    this.password = options.password;
    this.url = `postgres://postgres:${options.password}@127.0.0.1:${options.port}/postgres`;
    this.#folder = options.folder;
    this.#executable = options.executable;
    this.#flags = options.durable ? COMMON_FLAGS : [...COMMON_FLAGS, ...FORGETFUL_FLAGS];
  }

  /** Starts the stopped or killed server again, on the same port and data, and resolves once it takes connections. */
  async start(): Promise<void> {
    if (this.#postmaster !== undefined) throw new TypeError('The server is running');
    for (let attempt = 1; ; attempt += 1) {
      const { postmaster, log } = await this.#spawnPostmaster();
      if (postmaster.exitCode === null) {
        this.#postmaster = postmaster;
        return;
      }
      // Children that were killed a moment ago may still hold the shared memory.
      if (attempt === 20 || !log.includes('pre-existing shared memory block')) {
        throw new Error(`Postgres did not start:\n${log}`);
      }
      await sleep(50);
    }
  }

  /** Shuts the server down in order: open transactions are rolled back, what was committed is written. */
  async stop(): Promise<void> {
    const postmaster = this.#runningPostmaster();
    await endWith(postmaster, () => postmaster.kill('SIGINT'));
  }

  /** Ends the postmaster and every backend as `kill -9` does. */
  async kill(): Promise<void> {
    const postmaster = this.#runningPostmaster();
    const client = new Client(this.url);
    client.on('error', () => {});
    await client.connect();
    // Stopped, it forks no backend that the list below would miss.
    postmaster.kill('SIGSTOP');
    const { rows } = await client.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
    await endWith(postmaster, () => {
      for (const { pid } of rows) process.kill(pid, 'SIGKILL');
      postmaster.kill('SIGKILL');
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }

  #runningPostmaster(): ChildProcess {
    if (this.#postmaster === undefined) throw new TypeError('The server is not running');
    const postmaster = this.#postmaster;
    this.#postmaster = undefined;
    return postmaster;
  }

  /** Resolves when the new postmaster takes connections or has exited. */
  async #spawnPostmaster(): Promise<{ postmaster: ChildProcess; log: string }> {
    const postmaster = spawn(
      this.#executable,
      ['-D', join(this.#folder.path, 'data'), '-p', String(this.port), ...this.#flags.flatMap((flag) => ['-c', flag])],
      // Detached, since Ctrl-C in a terminal would reach it before the tests that use it have ended.
      { ...spawnAs, cwd: this.#folder.path, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let log = '';
    await new Promise<void>((resolve, reject) => {
      postmaster.once('error', reject).once('close', () => resolve());
      postmaster.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        log += chunk;
        if (/ready to accept (read-only )?connections/.test(log)) resolve();
      });
    });
    return { postmaster, log };
  }
}

// Dynamic shared memory in files of the data folder does not outlive a kill.
const COMMON_FLAGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'dynamic_shared_memory_type=mmap',
];
const FORGETFUL_FLAGS = ['fsync=off', 'full_page_writes=off'];

async function endWith(child: ChildProcess, end: () => void): Promise<void> {
  const exited = once(child, 'exit');
  end();
  await exited;
}
