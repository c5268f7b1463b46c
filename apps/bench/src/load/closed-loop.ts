import { Connection } from './connection.ts';
import { LoadLog, type LoadResult } from './load-log.ts';
import type { Answer } from './parse-answer.ts';

/** What the connections of a closed loop do. */
export interface ClosedLoop {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Writes the next request of a connection, from 0 to `connections` - 1. */
  readonly request: (connection: number) => string;
  /** The status of a good answer. Default 200. */
  readonly goodStatus?: number;
  /** Sees each good answer before the next request of its connection is written. */
  readonly onAnswer?: (connection: number, answer: Answer) => void;
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
        load.onAnswer?.(index, answer);
        if (answeredAt < endsAt) log.addLatency(answeredAt - sentAt);
      }
      sentAt = answeredAt;
    } catch (error) {
      log.addFailure(String(error));
      return;
    }
  }
}
