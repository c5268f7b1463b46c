import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from './free-port.ts';
import type { Pooler, PoolerOptions } from './pooler.ts';
import { spawnAs } from './postgres-binaries.ts';
import { createServerFolder } from './server-folder.ts';

// Debian installs it where only root looks for programs.
const searchPath = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`;

/** Says whether this machine has a PgBouncer. */
export function hasPgBouncer(): Promise<boolean> {
  return promisify(execFile)('pgbouncer', ['--version'], { env: { PATH: searchPath } }).then(
    () => true,
    () => false,
  );
}

const newProgram = '/usr/local/lib/pgbouncer-new/pgbouncer';

/** Says whether there is a PgBouncer that keeps the names of statements, as from 1.21 on. */
export function hasNewPgBouncer(): boolean {
  return existsSync(newProgram);
}

/** Starts one that {@link hasNewPgBouncer} has found. */
export function startNewPgBouncer(options: PoolerOptions): Promise<Pooler> {
  return startPgBouncer(options, newProgram);
}

/** Starts a PgBouncer on 127.0.0.1, in transaction mode. It takes its server connections in turn. */
export async function startPgBouncer(
  { server, poolSize }: PoolerOptions,
  program: string = 'pgbouncer',
): Promise<Pooler> {
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await createServerFolder('pgbouncer.pid'));
  const port = await findFreePort();
  const config = join(folder.path, 'pgbouncer.ini');
  await writeFile(config, toConfig({ server, poolSize, port }), { mode: 0o600 });
  const { uid, gid } = spawnAs;
  if (uid !== undefined && gid !== undefined) for (const path of [folder.path, config]) await chown(path, uid, gid);
  // Detached, like Postgres.
  const child = spawn(program, [config], {
    ...{ ...spawnAs, env: { ...spawnAs.env, PATH: searchPath } },
    ...{ cwd: folder.path, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  });
  await untilItListens(child);
  cleanup.move();
  return { port, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

function toConfig({ server, poolSize, port }: PoolerOptions & { readonly port: number }): string {
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
server_round_robin = 1
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
