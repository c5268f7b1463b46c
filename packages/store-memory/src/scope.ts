import { storeUnavailable, Turns, withTimeLimit, type Clock, type Revocation } from '@x/store';
import { OverlaidTables, type Tables } from './tables.ts';

/** What one step does: all at once, on the tables of its scope, at one moment. */
export type Step<Outcome> = (tables: Tables, now: Date) => Outcome;

/** What a scope is made of. */
export interface ScopeOptions {
  readonly tables: Tables;
  readonly clock: Clock;
  /** Shared by all that write on the tables. */
  readonly turns?: Turns;
  /** How long a transaction may take; as long as it wants by default, as one inside another may. */
  readonly limitMs?: number;
  /** Is told what was revoked, as soon as it is committed. A transaction has none: it commits to the tables below. */
  readonly tell?: (revocations: readonly Revocation[]) => void;
  /** The scope that the transaction of this one is in. */
  readonly outer?: Scope;
}

/**
 * What a set of stores works on: the committed tables, or the overlay of one transaction.
 *
 * Steps run at once and synchronously, so each is atomic. While a transaction is open below a scope, writes on
 * that scope wait for it: an overlay rests on tables that don't change. Reads never wait.
 */
export class Scope {
  readonly #tables: Tables;
  readonly #clock: Clock;
  readonly #turns: Turns;
  /** How long a transaction on this scope may take, and the end of the scope. */
  readonly #limitMs: number;
  readonly #tell: ((revocations: readonly Revocation[]) => void) | undefined;
  readonly #outer: Scope | undefined;
  readonly #underWay = new Set<Promise<unknown>>();
  #isOver = false;
  #isUndone = false;
  /** When the transactions that are still to come have to be done, on the clock of `performance`. */
  #endsAt = Infinity;

  constructor({ tables, clock, turns = new Turns(), limitMs = Infinity, tell, outer }: ScopeOptions) {
    this.#tables = tables;
    this.#clock = clock;
    this.#turns = turns;
    this.#limitMs = limitMs;
    this.#tell = tell;
    this.#outer = outer;
  }

  async read<Outcome>(step: Step<Outcome>): Promise<Outcome> {
    this.#assertOpen();
    return step(this.#tables, this.#clock.now());
  }

  /** Runs a step before it returns. */
  readNow<Outcome>(step: (tables: Tables) => Outcome): Outcome {
    this.#assertOpen();
    return step(this.#tables);
  }

  async write<Outcome>(step: Step<Outcome>): Promise<Outcome> {
    this.#assertOpen();
    if (!this.#turns.isTaken) return this.#change(step);
    return this.#track(this.#takeTurn(async () => this.#change(step)));
  }

  /** Runs `work` on an overlay that is committed where it resolves and forgotten where it throws. */
  async transaction<Outcome>(work: (inside: Scope) => Promise<Outcome>): Promise<Outcome> {
    this.#assertOpen();
    return this.#track(this.#takeTurn(async () => this.#runInside(work)));
  }

  /**
   * Asserts that a transaction is open, which holds every lock: it is alone.
   *
   * @throws TypeError
   */
  assertInTransaction(): void {
    this.#assertOpen();
    if (!this.#outer) throw new TypeError('A name can only be locked inside a transaction.');
  }

  /** Refuses further calls and waits for those under way, for transactions as long as one may take. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#endsAt = Math.min(this.#endsAt, performance.now() + this.#limitMs);
    await Promise.allSettled(this.#underWay);
  }

  #change<Outcome>(step: Step<Outcome>): Outcome {
    const outcome = step(this.#tables, this.#clock.now());
    this.#tellRevocations();
    return outcome;
  }

  #tellRevocations(): void {
    if (this.#tell && this.#tables.revocations.length > 0) this.#tell(this.#tables.revocations.splice(0));
  }

  async #runInside<Outcome>(work: (inside: Scope) => Promise<Outcome>): Promise<Outcome> {
    const overlay = new OverlaidTables(this.#tables);
    const inside = new Scope({ tables: overlay, clock: this.#clock, outer: this });
    const limitMs = Math.min(this.#limitMs, this.#endsAt - performance.now());
    try {
      const outcome = await withTimeLimit(limitMs, async () => endAfter(inside, work));
      this.#assertNotUndone();
      overlay.commit();
      this.#tellRevocations();
      return outcome;
    } catch (error) {
      inside.#isUndone = true;
      throw error;
    }
  }

  /** Where the scope was undone while the job waited, it is not run. */
  async #takeTurn<Outcome>(job: () => Promise<Outcome>): Promise<Outcome> {
    return this.#turns.run(async () => {
      this.#assertNotUndone();
      return job();
    });
  }

  async #track<Outcome>(call: Promise<Outcome>): Promise<Outcome> {
    this.#underWay.add(call);
    try {
      return await call;
    } finally {
      this.#underWay.delete(call);
    }
  }

  #assertOpen(): void {
    if (this.#isOver)
      throw new TypeError('These stores can no longer be used: their transaction ended, or they were closed.');
    this.#assertNotUndone();
  }

  /** A transaction that took too long is undone while its work may still go on, inside others as well. */
  #assertNotUndone(): void {
    if (this.#isUndone) throw storeUnavailable();
    if (this.#outer) this.#outer.#assertNotUndone();
  }
}

async function endAfter<Outcome>(scope: Scope, work: (scope: Scope) => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work(scope);
  } finally {
    await scope.end();
  }
}
