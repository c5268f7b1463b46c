// Calls of one tenant change one row, so Postgres lets one commit after the other. Of 32 at a time, those without the
// queue came to 0.66 of a bare upsert, and those with it to 1.05 (`bench consume-postgres`).

import type { ConsumeOutcome, Consumption } from '@x/store';
import { checkDebits } from '@x/store/engine';
import { type CheckedConsumption, consumeChecked, consumeTogether } from './consume.ts';
import type { SqlExecutor } from '../sql-executor.ts';

/** The maximum number in one step, so that the sum of their amounts stays a safe integer. */
const maxTogether = 100;

const maxAmountTogether = 1_000_000;

/**
 * Combines consumptions that would wait for each other: while one is in progress, those of the same tenant from the
 * same limits queue up, and then run as one step, whose commit is that of each. If not enough is left for all, each
 * runs by itself, unless there is not enough for the first. If a step fails, everybody in the queue gets its error.
 */
export class ConsumptionQueue {
  readonly #sql: SqlExecutor;
  /** The calls waiting for a step in progress, grouped by what makes them alike. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(sql: SqlExecutor) {
    this.#sql = sql;
  }

  /** Consumes without a key, outside any transaction. */
  consume({ tenantId, receiptId, debits }: Consumption): Promise<ConsumeOutcome> {
    const request = { tenantId, receiptId, debits: checkDebits(debits) };
    if (request.debits.some(({ amount }) => amount > maxAmountTogether)) return consumeChecked(this.#sql, request);
    const kind = JSON.stringify([tenantId, ...request.debits.map(Object.values)]);
    const waiting = this.#waiting.get(kind);
    if (waiting) return new Promise((resolve, reject) => void waiting.push({ request, resolve, reject }));
    this.#waiting.set(kind, []);
    return this.#runFirst(kind, consumeChecked(this.#sql, request));
  }

  async #runFirst(kind: string, step: Promise<ConsumeOutcome>): Promise<ConsumeOutcome> {
    try {
      const outcome = await step;
      void this.#runNext(kind);
      return outcome;
    } catch (error) {
      this.#rejectAll(kind, error);
      throw error;
    }
  }

  /** Never rejects: the waiting calls get the error. */
  async #runNext(kind: string): Promise<void> {
    const [first, ...others] = this.#waiting.get(kind)?.splice(0, maxTogether) ?? [];
    if (!first) {
      this.#waiting.delete(kind);
      return;
    }
    try {
      await this.#runTogether([first, ...others]);
      void this.#runNext(kind);
    } catch (error) {
      for (const { reject } of [first, ...others]) reject(error);
      this.#rejectAll(kind, error);
    }
  }

  /** The next step would make them wait as long again for the same failure. */
  #rejectAll(kind: string, error: unknown): void {
    const waiting = this.#waiting.get(kind) ?? [];
    this.#waiting.delete(kind);
    for (const { reject } of waiting) reject(error);
  }

  async #runTogether(together: readonly [Waiting, ...Waiting[]]): Promise<void> {
    const [first, ...others] = together;
    const requests = [first.request, ...others.map(({ request }) => request)] as const;
    const outcomes = others.length > 0 ? await consumeTogether(this.#sql, requests) : null;
    if (!outcomes) await this.#runEach(first, others);
    else for (const [index, outcome] of outcomes.entries()) together[index]?.resolve(outcome);
  }

  /** If not enough was left for one of them, there is not enough for the others, which consume the same. */
  async #runEach(first: Waiting, others: readonly Waiting[]): Promise<void> {
    const outcome = await consumeChecked(this.#sql, first.request);
    first.resolve(outcome);
    for (const { request, resolve } of others) {
      resolve(outcome.outcome === 'refused' ? outcome : consumeChecked(this.#sql, request));
    }
  }
}

/** A consumption that waits in the queue. */
interface Waiting {
  readonly request: CheckedConsumption;
  readonly resolve: (outcome: ConsumeOutcome | Promise<ConsumeOutcome>) => void;
  readonly reject: (error: unknown) => void;
}
