import { storeUnavailable, type Clock, type Revocation } from '@x/store';
import { Mutex, withTimeLimit } from '@x/store/engine';
import type { Scope, Step } from './database/scope.ts';
import { OverlaidTables, type Tables } from './tables.ts';

/** The parts of a scope. */
export interface MemoryScopeOptions {
  readonly tables: Tables;
  readonly clock: Clock;
  /** Shared by all writers of the tables. */
  readonly mutex?: Mutex;
  /** How long a transaction may take; no limit by default, as for nested transactions. */
  readonly limitMs?: number;
  /** Called with revocations once they are committed. A transaction has none: it commits to the tables below. */
  readonly report?: (revocations: readonly Revocation[]) => void;
  /** The scope in which this transaction was opened. */
  readonly outer?: MemoryScope;
}

/**
 * What a set of stores works on: the committed tables, or the overlay of one transaction.
 *
 * Steps run synchronously, so each is atomic. While a transaction is open on a scope, other writes on that scope wait
 * for it, because an overlay requires that the tables below don't change. Reads never wait.
 */
export class MemoryScope implements Scope<Tables> {
  readonly #tables: Tables;
  readonly #clock: Clock;
  readonly #mutex: Mutex;
  /** How long a transaction on this scope may take, and its end. */
  readonly #limitMs: number;
  readonly #report: ((revocations: readonly Revocation[]) => void) | undefined;
  readonly #outer: MemoryScope | undefined;
  readonly #inFlight = new Set<Promise<unknown>>();
  #isOver = false;
  #isRolledBack = false;
  /** The deadline for further transactions, on the clock of `performance`. */
  #endsAt = Infinity;

  constructor({ tables, clock, mutex = new Mutex(), limitMs = Infinity, report, outer }: MemoryScopeOptions) {
    this.#tables = tables;
    this.#clock = clock;
    this.#mutex = mutex;
    this.#limitMs = limitMs;
    this.#report = report;
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
    return this.#track(this.#exclusively(async () => this.#change(step)));
  }

  /** Runs `work` on an overlay, which is committed if it resolves and discarded if it throws. */
  async transaction<Outcome>(work: (inside: MemoryScope) => Promise<Outcome>): Promise<Outcome> {
    this.#assertOpen();
    return this.#track(this.#exclusively(async () => this.#runInside(work)));
  }

  /**
   * Asserts that a transaction is open, which implies every lock, because it runs alone.
   *
   * @throws TypeError
   */
  assertInTransaction(): void {
    this.#assertOpen();
    if (!this.#outer) throw new TypeError('A name can only be locked inside a transaction.');
  }

  /** Refuses further calls and waits for those in progress, for transactions at most as long as one may take. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#endsAt = Math.min(this.#endsAt, performance.now() + this.#limitMs);
    await Promise.allSettled(this.#inFlight);
  }

  #change<Outcome>(step: Step<Tables, Outcome>): Outcome {
    const outcome = step(this.#tables, this.#clock.now());
    this.#reportRevocations();
    return outcome;
  }

  #reportRevocations(): void {
    if (this.#report && this.#tables.revocations.length > 0) this.#report(this.#tables.revocations.splice(0));
  }

  async #runInside<Outcome>(work: (inside: MemoryScope) => Promise<Outcome>): Promise<Outcome> {
    const overlay = new OverlaidTables(this.#tables);
    const inside = new MemoryScope({ tables: overlay, clock: this.#clock, outer: this });
    const limitMs = Math.min(this.#limitMs, this.#endsAt - performance.now());
    try {
      const outcome = await withTimeLimit(limitMs, async () => endAfter(inside, work));
      this.#assertNotRolledBack();
      overlay.commit();
      this.#reportRevocations();
      return outcome;
    } catch (error) {
      inside.#isRolledBack = true;
      throw error;
    }
  }

  /** If the scope was rolled back while the job waited, it is not run. */
  async #exclusively<Outcome>(job: () => Promise<Outcome>): Promise<Outcome> {
    return this.#mutex.run(async () => {
      this.#assertNotRolledBack();
      return job();
    });
  }

  async #track<Outcome>(call: Promise<Outcome>): Promise<Outcome> {
    this.#inFlight.add(call);
    try {
      return await call;
    } finally {
      this.#inFlight.delete(call);
    }
  }

  #assertOpen(): void {
    if (this.#isOver)
      throw new TypeError('These stores can no longer be used: their transaction ended, or they were closed.');
    this.#assertNotRolledBack();
  }

  /** A transaction that took too long is rolled back although its work may still be running, also in nested ones. */
  #assertNotRolledBack(): void {
    if (this.#isRolledBack) throw storeUnavailable();
    if (this.#outer) this.#outer.#assertNotRolledBack();
  }
}

async function endAfter<Outcome>(scope: MemoryScope, work: (scope: MemoryScope) => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work(scope);
  } finally {
    await scope.end();
  }
}
