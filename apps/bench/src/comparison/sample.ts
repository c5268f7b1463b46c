import type { LoadResult } from '../load/load-log.ts';
import { readCpuSeconds } from '../machine/cpu-time.ts';
import { quantile } from './statistics.ts';

/** What one side did in one round. */
export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Microseconds of CPU that the server used per request, all threads together; null where the machine does not say. */
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
