import type { Logger } from '@x/errors';
import type { ChangeFeed, StoredChange } from '@x/store';

/** The options of a {@link FeedTail}. */
interface FeedTailOptions {
  readonly changes: ChangeFeed;
  readonly logger: Logger;
  /** Receives the next changes, one page after another. */
  readonly onChanges: (changes: readonly StoredChange[]) => Promise<void>;
  /** Called if the database does not know the position any more, such as after a restore. */
  readonly onGap: () => void;
}

/** How many changes are read together. */
const pageSize = 500;

/** How long to wait after a failure, in milliseconds. */
const retryMs = 1000;

/** Follows the feed of changes once for all streams of this process, while a stream is open. */
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

  /** The position up to which all changes were passed on. */
  get position(): string {
    return this.#position ?? '';
  }

  /** Starts after the newest committed change. */
  async start(): Promise<void> {
    await (this.#starting ??= this.#subscribe());
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#starting = undefined;
    this.#position = null;
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#restart();
      this.#unsubscribe = this.#options.changes.subscribe(() => this.#hint());
      // Changes may have been committed meanwhile.
      this.#hint();
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  async #restart(): Promise<void> {
    const newest = await this.#options.changes.read(null, 1);
    this.#position = newest?.position ?? null;
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
