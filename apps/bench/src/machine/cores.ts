import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Which processor cores the processes of the bench are kept on; null where this machine can not do that. */
export interface Cores {
  /** The one core of a server that is measured. */
  readonly server: string;
  /** The one core of what sends the load; where there is no third core, servers on two have to share it. */
  readonly load: string;
  /** Two, for servers whose work is meant to spread over threads. */
  readonly both: string;
}

/** Finds two cores that this process may use; null without `taskset` (not Linux), or with a single core. */
export function findCores(): Cores | null {
  if (spawnSync('taskset', ['--version']).status !== 0) return null;
  const [, list = ''] = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const [server, second, third = second] = parseCoreList(list);
  return server === undefined || second === undefined || third === undefined
    ? null
    : { server, load: third, both: `${server},${second}` };
}

/** Keeps every thread of this process on its core. */
export function pinThisProcess(cores: Cores): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores.load, String(process.pid)]);
}

/** Converts a list such as `0-2,5` to its cores. */
function parseCoreList(list: string): readonly string[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  });
}
