import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import { LoadLog, type LoadResult } from './load-log.ts';

/** A light load that comes at a fixed pace, whatever the server does. */
export interface SteadyRate {
  readonly port: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly request: string;
}

/** Connections that take turns, so that one late answer does not hold up the next request. */
const connectionCount = 5;

/**
 * Runs a load at a steady rate. Where the answer before it is late, a request counts from the moment when it should
 * have been sent, so that a stall shows in every request that it held up.
 */
export async function runSteadyRate(load: SteadyRate): Promise<LoadResult> {
  const log = new LoadLog();
  const startedAt = performance.now();
  const turns = Array.from({ length: connectionCount }, (_, turn) => driveTurn(turn, { load, log, startedAt }));
  await Promise.all(turns);
  return log.result(load.seconds);
}

interface Driver {
  readonly load: SteadyRate;
  readonly log: LoadLog;
  readonly startedAt: number;
}

async function driveTurn(turn: number, { load, log, startedAt }: Driver): Promise<void> {
  const connection = await Connection.open(load.port);
  const count = load.perSecond * load.seconds;
  for (let index = turn; index < count; index += connectionCount) {
    const dueAt = startedAt + (index * 1000) / load.perSecond;
    const isLate = performance.now() > dueAt;
    await sleep(Math.max(0, dueAt - performance.now()));
    const countsFrom = isLate ? dueAt : performance.now();
    try {
      const { status } = await connection.exchange(load.request);
      if (status === 200) log.addLatency(performance.now() - countsFrom);
      else log.addFailure(`status ${status}`);
    } catch (error) {
      log.addFailure(String(error));
      return;
    }
  }
  connection.close();
}
