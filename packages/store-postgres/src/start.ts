import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError, ConfigurationError } from '@x/errors';
import { storeUnavailable } from '@x/store';
import { reasonOf } from '@x/store-sql';
import { isLasting } from './errors.ts';

/** How a start waits for its database. */
interface StartOptions {
  /** The option that says where the database is. */
  readonly option: 'url' | 'pool';
  /** The name of the database in the log. */
  readonly database: string;
  /** How long it waits, in milliseconds. */
  readonly startMs: number;
  /** Receives a line for the log. */
  readonly warn: (message: string) => void;
  /** Ends the wait. */
  readonly stopped: AbortSignal;
}

/** How long to wait before a database that could not be used is asked again. */
const pauseMs = 250;

/**
 * A start, which is more patient than a request: its database may start at the same time, or be busy with the starts of
 * other processes. It warns once that it waits for the database, and once that it waits for the lock to migrate it.
 */
export class PatientStart {
  readonly options: StartOptions;
  readonly #endsAt: number;
  readonly #warned = new Set<string>();

  constructor(options: StartOptions) {
    this.options = options;
    this.#endsAt = performance.now() + options.startMs;
  }

  /**
   * Repeats work as long as the database can't be used.
   *
   * @throws ConfigurationError if it does not help to wait, as for a wrong password
   * @throws CodedError `SERVICE_UNAVAILABLE`, whose cause says why the start waited, when the time is over
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { database, stopped } = this.options;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof CodedError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
        this.#assertWorthWaiting(error.cause);
        this.#warnOnce('database', `for the database ${database}: ${reasonOf(error.cause)}`);
      }
      await sleep(pauseMs, undefined, { signal: stopped }).catch((cause: unknown) => {
        throw storeUnavailable(cause);
      });
    }
  }

  #assertWorthWaiting(cause: unknown): void {
    const { option, database, startMs } = this.options;
    const reason = reasonOf(cause);
    if (isLasting(cause)) {
      throw new ConfigurationError([`${option}: the database ${database} cannot be used: ${reason}`], { cause });
    }
    if (performance.now() < this.#endsAt) return;
    const message = `The start has waited ${startMs / 1000} s for the database ${database}, in vain: ${reason}`;
    throw storeUnavailable(new Error(message, { cause }));
  }

  /** Warns that the start waits for the lock that another process holds to migrate the database. */
  warnOfLock(): void {
    this.#warnOnce('lock', `for the lock to migrate the database ${this.options.database}`);
  }

  #warnOnce(subject: 'database' | 'lock', what: string): void {
    if (this.#warned.has(subject)) return;
    this.#warned.add(subject);
    const { warn, startMs } = this.options;
    warn(`The start waits, for up to ${startMs / 1000} s, ${what}`);
  }
}
