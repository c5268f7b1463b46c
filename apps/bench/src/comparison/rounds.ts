import { readFileSync } from 'node:fs';
import type { LoadResult } from '../load/load.ts';

/** One of those that are compared: how it is put under load for a while. */
export type Side = (seconds: number) => Promise<Sample>;

/** The compared programs: a floor, in some rows the same work by hand, and ours. */
export interface Sides {
  readonly floor: Side;
  readonly byHand?: Side;
  readonly ours: Side;
}

/** How long and how often is measured. */
export interface RoundSettings {
  readonly rounds: number;
  readonly seconds: number;
}

/** The samples of all sides, taken in turns. */
export interface Rounds {
  readonly floor: readonly Sample[];
  /** None where there is no such side. */
  readonly byHand: readonly Sample[];
  readonly ours: readonly Sample[];
  /** Not measured, but failures here count. */
  readonly warmUp: readonly Sample[];
}

/** Long enough for the optimizing compiler to have seen everything, where there are thousands of requests a second. */
const defaultWarmUpSeconds = 1.5;

/** Warms every side up, then measures them in turns, so that a machine that gets slower slows all. */
export async function runRounds(
  { floor, byHand, ours }: Sides,
  { rounds, seconds }: RoundSettings,
  warmUpSeconds: number = defaultWarmUpSeconds,
): Promise<Rounds> {
  const taken = { floor: [] as Sample[], byHand: [] as Sample[], ours: [] as Sample[], warmUp: [] as Sample[] };
  for (const side of [floor, byHand, ours]) if (side) taken.warmUp.push(await side(warmUpSeconds));
  for (let round = 0; round < rounds; round += 1) {
    taken.floor.push(await floor(seconds));
    if (byHand) taken.byHand.push(await byHand(seconds));
    taken.ours.push(await ours(seconds));
  }
  return taken;
}

/** The figures of one side in one round. */
export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /**
   * Microseconds of CPU that the server used per request, all threads together; null where the machine does not say.
   */
  readonly cpuMicroseconds: number | null;
  /** How much of one core the server used: 1 is all of it. */
  readonly serverBusy: number | null;
  /** How much of one core the load generator used; near 1 it was what limited the round. */
  readonly loadBusy: number;
  readonly failures: Readonly<Record<string, number>>;
}

/** Runs a load and watches what the server with this process id spends on it. */
export async function takeSample(pid: number, run: () => Promise<LoadResult>): Promise<Sample> {
  const startedAt = performance.now();
  const ownBefore = process.cpuUsage();
  const cpuBefore = readCpuSeconds(pid);
  const { seconds, latenciesMs, failures } = await run();
  const cpuAfter = readCpuSeconds(pid);
  const own = process.cpuUsage(ownBefore);
  const elapsed = (performance.now() - startedAt) / 1000;
  const cpuSeconds = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore;
  return {
    perSecond: latenciesMs.length / seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    cpuMicroseconds: cpuSeconds && (cpuSeconds * 1e6) / latenciesMs.length,
    serverBusy: cpuSeconds && cpuSeconds / elapsed,
    loadBusy: (own.user + own.system) / 1e6 / elapsed,
    failures,
  };
}

/** The middle of several measurements, and how far they spread. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Summarizes measurements, in any order; NaN where there are none. */
export function summarize(values: readonly number[]): Summary {
  const ascending = values.toSorted((a, b) => a - b);
  const lower = ascending[Math.floor((ascending.length - 1) / 2)] ?? NaN;
  const upper = ascending[Math.ceil((ascending.length - 1) / 2)] ?? NaN;
  return { median: (lower + upper) / 2, min: ascending[0] ?? NaN, max: ascending.at(-1) ?? NaN };
}

/** Returns the least value that a share of all values does not exceed (nearest rank); NaN where there are none. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? NaN;
}

/** Ticks of the kernel's accounting per second; a constant of Linux's interface. */
const ticksPerSecond = 100;

/** Returns the CPU seconds that all threads of a process have used so far; null where the machine does not say. */
function readCpuSeconds(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the process comes before and may itself contain blanks. See proc_pid_stat(5), utime and stime.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return null;
  }
}
