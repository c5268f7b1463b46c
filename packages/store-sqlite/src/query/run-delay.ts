import { readFileSync } from 'node:fs';

/** How many times longer anything may take on a machine that is busy with something else. */
const maxStretch = 3;

/** How long a process has taken for something, and how much of that it has spent waiting for a core, in milliseconds. */
export interface Progress {
  readonly tookMs: number;
  readonly delayedMs: number;
}

/**
 * Returns how many milliseconds are left of a limit. What a process spends waiting for a core, because the machine is busy,
 * does not count, up to three times the limit in all.
 */
export function timeLeft(limitMs: number, { tookMs, delayedMs }: Progress): number {
  return Math.min(limitMs + delayedMs, limitMs * maxStretch) - tookMs;
}

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
