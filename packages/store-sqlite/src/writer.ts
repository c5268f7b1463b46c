import { maxWaitMs, storeUnavailable, Turns, withTimeLimit } from '@x/store';

import { SqliteTransaction } from './sqlite-transaction.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** How long a lock that another process holds is left alone between two attempts, at most. */
const maxPauseMs = 4;

/** One commit holds up the event loop for no more steps than these. */
const maxGroupSize = 128;

type TransactionWork<T> = (transaction: SqliteTransaction) => Promise<T>;

interface WaitingStep {
  /** Runs the step and returns what tells its caller how it went, to be called after the commit. */
  run: TransactionWork<() => void>;
  refuse(error: unknown): void;
  readonly timer: NodeJS.Timeout;
}

/**
 * The one connection of this process that writes.
 *
 * Group commit: a durable commit costs far more than the statements in it. Steps that come in one turn of
 * the event loop, or while the writer is taken, wait together; one of them leads: it begins a transaction,
 * runs them in order, each undoing itself where it fails, commits, and only then is any caller told. So
 * each step is as atomic and as durable as alone, and a commit that fails fails all of its steps.
 */
export class Writer {
  readonly #connection: SqliteConnection;
  readonly #turns = new Turns();
  readonly #waiting = new Set<WaitingStep>();
  #leader: Promise<void> | null = null;
  /** When the transactions that are still to come have to be done, on the clock of `performance`. */
  #endsAt = Infinity;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /**
   * Runs a step, which undoes its own changes where it throws, in a commit that others may share.
   *
   * @param limitMs - how long the work may take, then all that shares its commit is undone and throws `SERVICE_UNAVAILABLE`;
   * as long as it wants by default
   */
  step<T>(work: (transaction: SqliteTransaction) => T | Promise<T>, limitMs: number = Infinity): Promise<T> {
    return new Promise((resolve, reject) => {
      const step: WaitingStep = {
        run: async (transaction) => {
          const outcome = await withTimeLimit(limitMs, () => settle(() => work(transaction)));
          return () => (outcome.ok ? resolve(outcome.value) : reject(outcome.error));
        },
        refuse: reject,
        timer: setTimeout(() => this.#expire(step), maxWaitMs),
      };
      this.#waiting.add(step);
      this.#leader ??= this.#lead();
    });
  }

  /**
   * Runs work in a transaction of its own; nothing else is written meanwhile.
   *
   * @param limitMs - how long the work may take, then the transaction is undone and throws `SERVICE_UNAVAILABLE`;
   * as long as it wants by default
   */
  transaction<T>(work: TransactionWork<T>, limitMs: number = Infinity): Promise<T> {
    const deadline = performance.now() + maxWaitMs;
    return this.#turns.run(async () => {
      // Nothing else here waits for the event loop: one transaction after another would never let it go on.
      await pause(0);
      const begun = await this.#begin(() => performance.now() < deadline);
      if (!begun) throw storeUnavailable();
      const leftMs = Math.min(limitMs, this.#endsAt - performance.now());
      return await this.#finish((transaction) => withTimeLimit(leftMs, () => work(transaction)));
    });
  }

  /** Runs work while no transaction is open. */
  alone<T>(work: () => T): Promise<T> {
    return this.#turns.run(work);
  }

  /** Waits for everything that was asked for, for transactions so long at most, then closes the connection. */
  async close(limitMs: number): Promise<void> {
    this.#endsAt = performance.now() + limitMs;
    await this.#leader;
    await this.#turns.run(() => this.#connection.close(), Infinity);
  }

  #expire(step: WaitingStep): void {
    this.#waiting.delete(step);
    step.refuse(storeUnavailable());
  }

  async #lead(): Promise<void> {
    while (this.#waiting.size > 0) {
      await pause(0);
      await this.#turns.run(() => this.#commitWaiting(), Infinity);
    }
    this.#leader = null;
  }

  async #commitWaiting(): Promise<void> {
    let group: readonly WaitingStep[] = [];
    try {
      const begun = await this.#begin(() => this.#waiting.size > 0);
      if (!begun) return;
      group = this.#takeGroup();
      const answers = await this.#finish((transaction) => this.#runGroup(transaction, group));
      for (const answer of answers) answer();
    } catch (error) {
      for (const step of group.length > 0 ? group : this.#takeGroup()) step.refuse(error);
    }
  }

  #takeGroup(): readonly WaitingStep[] {
    const group = [...this.#waiting].slice(0, maxGroupSize);
    for (const step of group) {
      this.#waiting.delete(step);
      clearTimeout(step.timer);
    }
    return group;
  }

  async #runGroup(transaction: SqliteTransaction, group: readonly WaitingStep[]): Promise<readonly (() => void)[]> {
    const answers: (() => void)[] = [];
    for (const step of group) {
      answers.push(await step.run(transaction));
      transaction.assertOpen();
    }
    return answers;
  }

  /** Commits what `work` did, or undoes all of it. */
  async #finish<T>(work: TransactionWork<T>): Promise<T> {
    const transaction = new SqliteTransaction(this.#connection);
    try {
      const result = await work(transaction);
      transaction.commit();
      return result;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  }

  /** Asks again and again without blocking the event loop, as SQLite's own busy handler would. */
  async #begin(isWanted: () => boolean): Promise<boolean> {
    for (let pauseMs = 1; isWanted(); pauseMs = Math.min(pauseMs + 1, maxPauseMs)) {
      if (this.#connection.tryBegin()) return true;
      await pause(pauseMs);
    }
    return false;
  }
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

async function settle<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error };
  }
}

/** Waits so long, or, for 0, until the input that is there already was read. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0) setImmediate(resolve);
    else setTimeout(resolve, milliseconds);
  });
}
