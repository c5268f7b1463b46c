import { type Clock, type Revocation, storeUnavailable } from '@x/store';
import { defaultPatience, InFlightCalls, Mutex, withTimeLimit } from '@x/store/engine';

/** The work of one step, run synchronously on the tables of an executor, at one moment. */
type Step<Tables, Outcome> = (tables: Tables, now: Date) => Outcome;

/**
 * Runs the steps of a store on the tables that it needs: the committed ones, or those of a transaction. A step runs
 * synchronously, so it is atomic.
 */
export interface StepExecutor<Tables> {
  /** How long callers wait for anything, in milliseconds. */
  readonly waitMs: number;

  read<Outcome>(step: Step<Tables, Outcome>): Promise<Outcome>;

  /** Runs a reading step at once, without a promise. */
  readNow<Outcome>(step: (tables: Tables) => Outcome): Outcome;

  /** Runs a step that changes the tables; it may have to wait for a transaction of another writer. */
  write<Outcome>(step: Step<Tables, Outcome>): Promise<Outcome>;
}

/** All tables of a database, or of a transaction on it. */
export interface TableSet<Tables> {
  /** Revocations that are still to be reported; rolled back and committed with the rows. */
  readonly revocations: Revocation[];
  /** Creates tables that keep their changes to themselves until `commit` applies them all to these, synchronously. */
  overlay(): Tables & { commit(): void };
}

/** The parts of an executor. */
interface MemoryExecutorOptions<Tables extends TableSet<Tables>> {
  readonly tables: Tables;
  readonly clock: Clock;
  /** Shared by all writers of the tables. */
  readonly mutex?: Mutex;
  /** How long a transaction may take; no limit by default, as for nested transactions. */
  readonly limitMs?: number;
  /** How long a writer waits for others, and a search may take; 2000 by default. */
  readonly waitMs?: number;
  /** Called with revocations once they are committed. A transaction has none: it commits to the tables below. */
  readonly notify?: (revocations: readonly Revocation[]) => void;
  /** The executor in which this transaction was opened. */
  readonly outer?: MemoryExecutor<Tables>;
}

/**
 * Runs the steps of a set of stores: on the committed tables, or on the overlay of one transaction.
 *
 * Steps run synchronously, so each is atomic. While a transaction is open, other writes of the executor that opened it
 * wait, because an overlay requires that the tables below don't change. Reads never wait.
 */
export class MemoryExecutor<Tables extends TableSet<Tables>> implements StepExecutor<Tables> {
  readonly waitMs: number;
  readonly #tables: Tables;
  readonly #clock: Clock;
  readonly #mutex: Mutex;
  /** How long a transaction on this executor may take, and its end. */
  readonly #limitMs: number;
  readonly #notify: ((revocations: readonly Revocation[]) => void) | undefined;
  readonly #outer: MemoryExecutor<Tables> | undefined;
  readonly #inFlight = new InFlightCalls();
  #isOver = false;
  #isRolledBack = false;
  /** The deadline for further transactions, on the clock of `performance`. */
  #endsAt = Infinity;

  constructor(options: MemoryExecutorOptions<Tables>) {
    const { tables, clock, mutex = new Mutex(), limitMs = Infinity, notify, outer } = options;
    this.#tables = tables;
    this.#clock = clock;
    this.#mutex = mutex;
    this.#limitMs = limitMs;
    this.waitMs = options.waitMs ?? defaultPatience.waitMs;
    this.#notify = notify;
    this.#outer = outer;
  }

  async read<Outcome>(step: Step<Tables, Outcome>): Promise<Outcome> {
    this.#assertOpen();
    return step(this.#tables, this.#clock.now());
  }

  /** Runs a step synchronously. */
  readNow<Outcome>(step: (tables: Tables) => Outcome): Outcome {
    this.#assertOpen();
    return step(this.#tables);
  }

  async write<Outcome>(step: Step<Tables, Outcome>): Promise<Outcome> {
    this.#assertOpen();
    if (!this.#mutex.isLocked) return this.#change(step);
    return this.#inFlight.run(() => this.#exclusively(async () => this.#change(step)));
  }

  /** Runs `work` on an overlay, which is committed if it resolves and discarded if it throws. */
  async transaction<Outcome>(work: (inside: MemoryExecutor<Tables>) => Promise<Outcome>): Promise<Outcome> {
    this.#assertOpen();
    return this.#inFlight.run(() => this.#exclusively(async () => this.#runInside(work)));
  }

  /**
   * Asserts that a transaction is open, which implies every lock, because it runs alone.
   *
   * @throws TypeError
   */
  assertInTransaction(): void {
    this.#assertOpen();
    if (!this.#outer)
      throw new TypeError(
        'A name can only be locked inside a transaction: use the stores that stores.transaction passes on.',
      );
  }

  /** Refuses further calls and waits for those in progress, for transactions at most as long as one may take. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#endsAt = Math.min(this.#endsAt, performance.now() + this.#limitMs);
    await this.#inFlight.drain(Infinity);
  }

  #change<Outcome>(step: Step<Tables, Outcome>): Outcome {
    const outcome = step(this.#tables, this.#clock.now());
    this.#notifyOfRevocations();
    return outcome;
  }

  #notifyOfRevocations(): void {
    if (this.#notify && this.#tables.revocations.length > 0) this.#notify(this.#tables.revocations.splice(0));
  }

  async #runInside<Outcome>(work: (inside: MemoryExecutor<Tables>) => Promise<Outcome>): Promise<Outcome> {
    const overlay = this.#tables.overlay();
    const inside = new MemoryExecutor<Tables>({
      tables: overlay,
      clock: this.#clock,
      waitMs: this.waitMs,
      outer: this,
    });
    const limitMs = Math.min(this.#limitMs, this.#endsAt - performance.now());
    try {
      const outcome = await withTimeLimit(limitMs, async () => endAfter(inside, work));
      this.#assertNotRolledBack();
      overlay.commit();
      this.#notifyOfRevocations();
      return outcome;
    } catch (error) {
      inside.#isRolledBack = true;
      throw error;
    }
  }

  /** If the transaction was rolled back while the job waited, it is not run. */
  async #exclusively<Outcome>(job: () => Promise<Outcome>): Promise<Outcome> {
    return this.#mutex.run(async () => {
      this.#assertNotRolledBack();
      return job();
    }, this.waitMs);
  }

  #assertOpen(): void {
    if (this.#isOver)
      throw new TypeError(
        'These stores can no longer be used: their transaction ended, so await all work inside of it, or they were closed.',
      );
    this.#assertNotRolledBack();
  }

  /** A transaction that took too long is rolled back although its work may still be running, also in nested ones. */
  #assertNotRolledBack(): void {
    if (this.#isRolledBack) throw storeUnavailable();
    if (this.#outer) this.#outer.#assertNotRolledBack();
  }
}

async function endAfter<Tables extends TableSet<Tables>, Outcome>(
  executor: MemoryExecutor<Tables>,
  work: (executor: MemoryExecutor<Tables>) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work(executor);
  } finally {
    await executor.end();
  }
}
