import { CodedError } from '@x/errors';

/** How much may be in progress at once. */
export interface QueueBounds {
  /** Hashes that run at the same time, 1 or more. */
  readonly concurrency: number;
  /** Hashes that may wait for a free place, 0 or more. */
  readonly maxWaiting: number;
}

/** Runs hashes for networks, as many at a time as the bounds allow. */
export interface HashQueue {
  /**
   * Runs work, when it is the network's turn.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` with `retryAfter`, if there is no room to wait
   */
  run<T>(network: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Creates a queue that networks share fairly.
 *
 * Each network has a line of its own, and the first of each line are served in turn. So whoever comes first in their
 * line waits for at most one of every other network, however many of those are waiting. All lines together are bounded.
 * When they are full, the longest line loses its last to a newcomer, as long as the newcomer's line stays the shorter
 * one. So a network can fill the queue only while nobody else needs it; whoever it loses had the longest wait ahead.
 */
export function createHashQueue({ concurrency, maxWaiting }: QueueBounds): HashQueue {
  /** Those who wait, by network, in the order of turns. No line is empty. */
  const lines = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  const enter = async (network: string): Promise<void> => {
    if (running < concurrency) {
      running += 1;
      return;
    }
    if (waiting === maxWaiting) dropFromLongest(lines, network);
    else waiting += 1;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = lines.get(network);
    if (line) line.push({ resolve, reject });
    else lines.set(network, [{ resolve, reject }]);
    await promise;
  };

  /** Passes the place on to the next turn. */
  const leave = (): void => {
    const [turn] = lines;
    if (turn === undefined) {
      running -= 1;
      return;
    }
    const [network, line] = turn;
    waiting -= 1;
    line.shift()?.resolve();
    lines.delete(network);
    if (line.length > 0) lines.set(network, line);
  };

  return {
    async run(network, work) {
      await enter(network);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

type Waiting = Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'>;

/** Refuses the last of the longest line in favour of a newcomer; or the newcomer, if their line would be no shorter. */
function dropFromLongest(lines: ReadonlyMap<string, Waiting[]>, network: string): void {
  let longest: Waiting[] = [];
  for (const line of lines.values()) if (line.length > longest.length) longest = line;
  const newLength = (lines.get(network)?.length ?? 0) + 1;
  if (newLength >= longest.length) throw tooBusy();
  longest.pop()?.reject(tooBusy());
}

function tooBusy(): CodedError {
  return new CodedError('SERVICE_UNAVAILABLE', 'Too many people are signing in right now. Try again shortly.', {
    retryAfter: 1,
  });
}
