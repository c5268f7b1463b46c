import type { Logger } from '@x/errors';
import type { ChangeFeed, StoredChange } from '@x/store';

/** What follows a feed. */
interface FeedTailOptions {
  readonly changes: ChangeFeed;
  readonly logger: Logger;
  /** Receives the next changes, one page after another. */
  readonly onChanges: (changes: readonly StoredChange[]) => Promise<void>;
  /** Called if the database does not know the position any more, such as after a restore. */
  readonly onGap: () => void;
}

/** How many changes are looked at together. */
const pageSize = 500;

/** How long to wait after a failure, in milliseconds. */
const retryMs = 1000;

/** Follows the feed of changes once for all streams of this process, while there is one. */
export class FeedTail {
  readonly #options: FeedTailOptions;
  #position: string | null = null;
  #starting: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #isReading = false;
  #isHinted = false;

  constructor(options: FeedTailOptions) {
    this.#options = options;
  }

  /** Everything up to here was passed on, and told. */
  get position(): string {
    return this.#position ?? '';
  }

  /** Begins after what is committed now. */
  async start(): Promise<void> {
    await (this.#starting ??= this.#begin());
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#starting = undefined;
    this.#position = null;
  }

  async #begin(): Promise<void> {
    try {
      await this.#restart();
      this.#unsubscribe = this.#options.changes.subscribe(() => this.#hint());
      // For what was committed meanwhile.
      this.#hint();
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  async #restart(): Promise<void> {
    const begin = await this.#options.changes.read(null, 1);
    this.#position = begin?.position ?? null;
  }

  #hint(): void {
    this.#isHinted = true;
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    const { changes, logger, onChanges, onGap } = this.#options;
    this.#isReading = true;
    try {
      while (this.#isHinted && this.#position !== null) {
        this.#isHinted = false;
        const page = await changes.read(this.#position, pageSize);
        if (page === null) {
          await this.#restart();
          onGap();
          continue;
        }
        if (page.changes.length > 0) await onChanges(page.changes);
        if (page.changes.length === pageSize) this.#isHinted = true;
        if (this.#position !== null) this.#position = page.position;
      }
    } catch (err) {
      logger.warn({ err }, 'reading the feed of changes failed');
      setTimeout(() => this.#hint(), retryMs).unref();
    } finally {
      this.#isReading = false;
    }
  }
}
