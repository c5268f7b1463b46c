import { tooBusy } from '@x/errors';
import type { Client } from './places.ts';

/** A request that waits. */
export interface Waiting<Item> {
  readonly client: Client;
  readonly item: Item;
  readonly admit: () => void;
  readonly refuse: () => void;
}

/**
 * Requests that wait, of all clients together a bounded number.
 *
 * Each caller has a line in each network, and so have the anonymous callers of each. All in a line need the same
 * places, and the first of each line are admitted in turn: whoever comes first in their line waits for at most one of
 * every other line. When all is full, the longest line loses its last to a newcomer, as long as the newcomer's line
 * stays the shorter one. So a client can fill the lines only while nobody else needs to wait.
 */
export class WaitingLines<Item> {
  /** In the order of turns. No line is empty. */
  readonly #lines = new Map<string, Waiting<Item>[]>();
  readonly #maxWaiting: number;
  #size = 0;

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  get size(): number {
    return this.#size;
  }

  waiting(): readonly Waiting<Item>[] {
    return [...this.#lines.values()].flat();
  }

  /**
   * Waits until it is the turn of a request. Whoever hangs up gives it up.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` with `retryAfter`, if there is no room, or another needs it more
   */
  async wait(client: Client, item: Item, signal: AbortSignal): Promise<void> {
    const { promise, resolve: admit, reject } = Promise.withResolvers<void>();
    const waiting = { client, item, admit, refuse: () => reject(tooBusy()) };
    const key = keyOf(client);
    const line = this.#lines.get(key);
    if (this.#size === this.#maxWaiting && !this.#makeRoom((line?.length ?? 0) + 1)) throw tooBusy();
    if (line) line.push(waiting);
    else this.#lines.set(key, [waiting]);
    this.#size += 1;
    signal.addEventListener('abort', () => this.#refuse(waiting), { once: true });
    await promise;
  }

  /** Refuses the last of the longest line, if that is longer than the newcomer's will be. */
  #makeRoom(newLength: number): boolean {
    let longest: Waiting<Item>[] = [];
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    const last = longest.at(-1);
    if (last === undefined || longest.length <= newLength) return false;
    this.#refuse(last);
    return true;
  }

  /** Takes out the one whose turn it is: the first of the next line that may begin. */
  next(mayBegin: (client: Client) => boolean): Waiting<Item> | undefined {
    for (const [key, line] of this.#lines) {
      const [first] = line;
      if (first === undefined || !mayBegin(first.client)) continue;
      this.#take(first);
      // The line goes to the end of the order.
      if (this.#lines.delete(key)) this.#lines.set(key, line);
      return first;
    }
    return undefined;
  }

  /** Without effect if it does not wait any more. */
  #refuse(waiting: Waiting<Item>): void {
    if (this.#take(waiting)) waiting.refuse();
  }

  #take(waiting: Waiting<Item>): boolean {
    const key = keyOf(waiting.client);
    const line = this.#lines.get(key) ?? [];
    const index = line.indexOf(waiting);
    if (index === -1) return false;
    line.splice(index, 1);
    this.#size -= 1;
    if (line.length === 0) this.#lines.delete(key);
    return true;
  }
}

/** Networks have no spaces. */
function keyOf({ caller, network }: Client): string {
  return caller === null ? network : `${network} ${caller}`;
}
