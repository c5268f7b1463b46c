import { readFileSync } from 'node:fs';

/**
 * Returns how long a process has waited for a core in all, in milliseconds: its main thread could run, but the machine was
 * busy with something else. Zero where the system does not say, and once it has ended.
 */
export function readRunDelayMs(processId: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${processId}/schedstat`, 'utf8').split(' ');
    return Number(waitedNs) / 1e6;
  } catch {
    return 0;
  }
}
