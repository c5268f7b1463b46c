import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server in a process of its own. */
export interface RunningServer extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
}

/** How a server is started. */
interface ServerStart {
  /** The file that Node runs. */
  readonly script: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Where it runs. */
  readonly folder: string;
  /** The cores to stay on, as `taskset` reads them; null for any. */
  readonly cores: string | null;
}

/** Starts a server on a free port and waits until it listens. Its output goes to a file, as in production. */
export async function startServer(start: ServerStart): Promise<RunningServer> {
  const port = await findFreePort();
  const log = `${start.folder}/${port}.log`;
  const child = spawnServer(start, { port, log });
  try {
    await waitUntilListening(child, port);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${start.script} did not start:\n${readFileSync(log, 'utf8')}`, { cause: error });
  }
  return { pid: child.pid ?? 0, port, [Symbol.asyncDispose]: () => stop(child) };
}

function spawnServer(
  { script, variables, folder, cores }: ServerStart,
  { port, log }: { readonly port: number; readonly log: string },
): ChildProcess {
  const pin = cores === null ? [] : ['taskset', '--cpu-list', cores];
  const [command, ...parameters] = [...pin, process.execPath, script];
  const output = openSync(log, 'a');
  const child = spawn(command ?? process.execPath, parameters, {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: String(port), ...variables },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

const startLimitMs = 20_000;
const stopLimitMs = 15_000;

async function waitUntilListening(child: ChildProcess, port: number): Promise<void> {
  const givesUpAt = performance.now() + startLimitMs;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('It ended.');
    if (performance.now() > givesUpAt) throw new Error(`It did not listen within ${startLimitMs} ms.`);
    await sleep(20);
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
  await exited;
  clearTimeout(kill);
}

/** Finds a port that is not in use. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
