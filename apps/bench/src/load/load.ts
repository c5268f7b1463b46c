import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerResponse, Connection } from './connection.ts';

/** The outcome of a load. */
export interface LoadResult {
  readonly seconds: number;
  /** How long each good answer took in milliseconds, ascending. */
  readonly latenciesMs: readonly number[];
  /** How often each failure was seen: an error, or a status other than 200. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Collects what happens under a load. */
class LoadLog {
  readonly #latenciesMs: number[] = [];
  readonly #failures: Record<string, number> = {};

  addLatency(milliseconds: number): void {
    this.#latenciesMs.push(milliseconds);
  }

  addFailure(kind: string): void {
    this.#failures[kind] = (this.#failures[kind] ?? 0) + 1;
  }

  result(seconds: number): LoadResult {
    const latenciesMs = Array.from(Float64Array.from(this.#latenciesMs).sort());
    return { seconds, latenciesMs, failures: this.#failures };
  }
}

/** The settings of a closed loop, in which each connection sends its next request after an answer. */
interface ClosedLoop {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Writes the next request of a connection, from 0 to `connections` - 1. */
  readonly request: (connection: number) => string;
  /** The status of a good answer. Default 200. */
  readonly goodStatus?: number;
  /** Sees each good answer before the next request of its connection is written. */
  readonly onResponse?: (connection: number, answer: ServerResponse) => void;
}

/**
 * Runs a closed loop: every connection sends its next request as soon as it has its answer. When the time is over
 * the answers under way are awaited but not counted.
 */
export async function runClosedLoop(load: ClosedLoop): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: load.connections }, () => Connection.open(load.port)));
  const log = new LoadLog();
  const startedAt = performance.now();
  const endsAt = startedAt + load.seconds * 1000;
  const cut = setTimeout(() => connections.forEach((connection) => connection.close()), load.seconds * 1000 + graceMs);
  await Promise.all(connections.map((connection, index) => drive(connection, { load, index, log, endsAt })));
  clearTimeout(cut);
  for (const connection of connections) connection.close();
  return log.result((endsAt - startedAt) / 1000);
}

/** How long the last answers may take. */
const graceMs = 10_000;

interface Driver {
  readonly load: ClosedLoop;
  readonly index: number;
  readonly log: LoadLog;
  readonly endsAt: number;
}

async function drive(connection: Connection, { load, index, log, endsAt }: Driver): Promise<void> {
  const { goodStatus = 200 } = load;
  let sentAt = performance.now();
  while (sentAt < endsAt) {
    try {
      const answer = await connection.exchange(load.request(index));
      const answeredAt = performance.now();
      if (answer.status !== goodStatus) log.addFailure(`status ${answer.status}`);
      else {
        load.onResponse?.(index, answer);
        if (answeredAt < endsAt) log.addLatency(answeredAt - sentAt);
      }
      sentAt = answeredAt;
    } catch (error) {
      log.addFailure(String(error));
      return;
    }
  }
}

/** A light load that comes at a fixed pace, independent of the server. */
interface SteadyRate {
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

interface TurnDriver {
  readonly load: SteadyRate;
  readonly log: LoadLog;
  readonly startedAt: number;
}

async function driveTurn(turn: number, { load, log, startedAt }: TurnDriver): Promise<void> {
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
