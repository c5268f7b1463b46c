import type { StoredChange, Stores } from '@x/store';
import { pause } from './concurrently.ts';

/** How long a transaction of another database on the same server may delay a change, in milliseconds. */
export const maxDelayMs = 30_000;

/** Reads the feed of stores from where it was when the test began. */
export class FollowedFeed {
  readonly startedAt: string;
  readonly #stores: Stores;
  #position: string;

  private constructor(stores: Stores, position: string) {
    this.#stores = stores;
    this.startedAt = position;
    this.#position = position;
  }

  /** Starts after everything that is committed. */
  static async start(stores: Stores): Promise<FollowedFeed> {
    const begin = await stores.changes.read(null, 1);
    const feed = new FollowedFeed(stores, begin?.position ?? '');
    await stores.changes.append({ entity: 'mark', id: begin?.position ?? '', before: null, after: null });
    const read = await feed.#until((changes) =>
      changes.some(({ entity, id }) => entity === 'mark' && id === begin?.position),
    );
    return new FollowedFeed(stores, read.at(-1)?.position ?? '');
  }

  /** Waits for so many more changes. */
  next(count: number): Promise<readonly StoredChange[]> {
    return this.#until((changes) => changes.length >= count);
  }

  /** Reads what can be read now. */
  async readNow(): Promise<readonly StoredChange[]> {
    const page = await this.#stores.changes.read(this.#position, 1000);
    if (!page) throw new TypeError('The position is gone.');
    this.#position = page.position;
    return page.changes;
  }

  async #until(isEnough: (changes: readonly StoredChange[]) => boolean): Promise<readonly StoredChange[]> {
    const deadline = performance.now() + maxDelayMs;
    const changes: StoredChange[] = [];
    while (!isEnough(changes) && performance.now() < deadline) {
      changes.push(...(await this.readNow()));
      if (!isEnough(changes)) await pause(2);
    }
    return changes;
  }
}
