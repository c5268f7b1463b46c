import { Turns, type Clock } from '@x/store';
import { commitTables, overlayTables, type Tables } from './tables.ts';

/** What one step does: all at once, on the tables of its scope, at one moment. */
export type Step<Outcome> = (tables: Tables, now: Date) => Outcome;

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
  readonly #underWay = new Set<Promise<unknown>>();
  #isOver = false;

  constructor(tables: Tables, clock: Clock, turns: Turns = new Turns()) {
    this.#tables = tables;
    this.#clock = clock;
    this.#turns = turns;
  }

  async read<Outcome>(step: Step<Outcome>): Promise<Outcome> {
    this.#assertOpen();
    return step(this.#tables, this.#clock.now());
  }

  async write<Outcome>(step: Step<Outcome>): Promise<Outcome> {
    this.#assertOpen();
    if (!this.#turns.isTaken) return step(this.#tables, this.#clock.now());
    return this.#track(this.#turns.run(async () => step(this.#tables, this.#clock.now())));
  }

  /** Runs `work` on an overlay that is committed where it resolves and forgotten where it throws. */
  async transaction<Outcome>(work: (inside: Scope) => Promise<Outcome>): Promise<Outcome> {
    this.#assertOpen();
    return this.#track(this.#turns.run(async () => this.#runInside(work)));
  }

  /** Refuses further calls and waits for those under way. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#underWay);
  }

  async #runInside<Outcome>(work: (inside: Scope) => Promise<Outcome>): Promise<Outcome> {
    const overlay = overlayTables(this.#tables);
    const inside = new Scope(overlay, this.#clock);
    try {
      const outcome = await work(inside);
      await inside.end();
      commitTables(overlay);
      return outcome;
    } finally {
      await inside.end();
    }
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
    if (this.#isOver) throw new TypeError('These stores are over: their transaction ended, or they were closed.');
  }
}
