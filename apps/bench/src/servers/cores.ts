import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Which processor cores the processes of the bench are kept on; null where this machine cannot do that. */
export interface Cores {
  /** The one core of a server that is measured. */
  readonly server: string;
  /** The one core of what sends the load; where there is no third core, servers on two have to share it. */
  readonly load: string;
  /** Two, for servers whose work is meant to spread over threads. */
  readonly both: string;
  /** Those of a Postgres: all that neither `server` nor `load` is, or all where there are none. */
  readonly database: string;
}

/** Finds two cores that this process may use; null without `taskset` (not Linux), or with a single core. */
export function findCores(): Cores | null {
  if (spawnSync('taskset', ['--version']).status !== 0) return null;
  const [, list = ''] = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const all = parseCoreList(list);
  const [server, second, load = second] = all;
  if (server === undefined || second === undefined || load === undefined) return null;
  const others = all.filter((core) => core !== server && core !== load);
  return { server, load, both: `${server},${second}`, database: (others.length > 0 ? others : all).join(',') };
}

/** Keeps every thread of this process on its core. */
export function pinThisProcess(cores: Cores): void {
  moveThisProcess(cores.load);
}

/** Starts a database whose processes, which inherit it, stay on the cores that are meant for them. */
export async function startOnDatabaseCores<T>(cores: Cores | null, start: () => Promise<T>): Promise<T> {
  if (cores === null) return await start();
  moveThisProcess(cores.database);
  try {
    return await start();
  } finally {
    moveThisProcess(cores.load);
  }
}

function moveThisProcess(cores: string): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(process.pid)]);
}

/** Converts a list such as `0-2,5` to its cores. */
function parseCoreList(list: string): readonly string[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  });
}
