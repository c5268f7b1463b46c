import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../network/free-port.ts';
import type { Pooler, PoolerOptions } from './pooler.ts';
import { spawnAs } from './postgres-binaries.ts';
import { createServerFolder } from './server-folder.ts';

// Debian installs it where only root looks for programs.
const searchPath = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`;

/** A PgBouncer of this machine. */
export interface PgBouncer {
  readonly program: string;
  /** Such as `1.24.1`. */
  readonly version: string;
  /** Whether it keeps the names of statements, as from 1.21 on. */
  readonly keepsNames: boolean;
}

/** That of the system, and the one that `install-new-pgbouncer.sh` leaves. */
const programs = ['pgbouncer', '/usr/local/lib/pgbouncer-new/pgbouncer'];

/** Finds those that this machine has; that of the system comes first. */
export async function findPgBouncers(): Promise<readonly PgBouncer[]> {
  const found = await Promise.all(programs.map(readVersion));
  return found.filter((pooler) => pooler !== null);
}

async function readVersion(program: string): Promise<PgBouncer | null> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], { env: { PATH: searchPath } });
    const [version = '', , minor] = /PgBouncer ((\d+\.)(\d+)\S*)/.exec(stdout)?.slice(1) ?? [];
    return { program, version, keepsNames: Number(minor) >= 21 };
  } catch {
    return null;
  }
}

/** A running PgBouncer. */
export interface RunningPgBouncer extends Pooler {
  /** Ends it as `kill -9` does, and starts it again on the same port. */
  restart(): Promise<void>;
}

/** Starts a PgBouncer on 127.0.0.1, in transaction mode. */
export async function startPgBouncer(
  options: PoolerOptions,
  { program }: Pick<PgBouncer, 'program'>,
): Promise<RunningPgBouncer> {
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await createServerFolder('pgbouncer.pid'));
  const port = await findFreePort();
  const config = join(folder.path, 'pgbouncer.ini');
  await writeFile(config, toConfig({ ...options, port }), { mode: 0o600 });
  const { uid, gid } = spawnAs;
  if (uid !== undefined && gid !== undefined) for (const path of [folder.path, config]) await chown(path, uid, gid);
  let child = await spawnPgBouncer(program, folder.path);
  cleanup.move();
  return {
    port,
    async restart() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(join(folder.path, 'pgbouncer.pid'), { force: true });
      child = await spawnPgBouncer(program, folder.path);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Resolves when it takes connections. Detached, like Postgres. */
async function spawnPgBouncer(program: string, folder: string): Promise<ChildProcess> {
  const child = spawn(program, [join(folder, 'pgbouncer.ini')], {
    ...spawnAs,
    env: { ...spawnAs.env, PATH: searchPath },
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await untilItListens(child);
  return child;
}

function toConfig({ server, poolSize, isInTurn = true, port }: PoolerOptions & { readonly port: number }): string {
  const { hostname, port: serverPort, username, password } = new URL(server);
  return `[databases]
* = host=${hostname} port=${serverPort || 5432} user=${decodeURIComponent(username)} password='${decodeURIComponent(password)}'

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
pidfile = pgbouncer.pid
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 1000
server_round_robin = ${Number(isInTurn)}
server_login_retry = 1
log_connections = 0
log_disconnections = 0
`;
}

/** Resolves when it takes connections. */
async function untilItListens(child: ChildProcess): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject).once('exit', () => reject(new Error(`PgBouncer did not start:\n${log}`)));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      if (log.length < 10_000) log += chunk;
      if (log.includes('process up')) resolve();
    });
  });
}
