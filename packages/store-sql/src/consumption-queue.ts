import { checkDebits, type Consumption, type ConsumeOutcome } from '@x/store';
import { type CheckedConsumption, consumeChecked, consumeTogether } from './consume.ts';
import type { SqlScope } from './sql-driver.ts';

/** No more go together, so that the sum of what they consume is a number that can be told apart. */
const maxTogether = 100;

const maxAmountTogether = 1_000_000;

/**
 * Lets consumptions go together that would wait for each other: while one is under way, those of the same tenant from the
 * same limits gather, and are one step then. Its commit is that of each of them. Where there is not enough left for all,
 * each goes by itself, unless there is not enough for one. A step that fails is the answer of all who wait.
 */
export class ConsumptionQueue {
  readonly #sql: SqlScope;
  /** What waits for a step under way, by what is the same of it. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(sql: SqlScope) {
    this.#sql = sql;
  }

  /** Consumes without a key, and outside of any transaction. */
  consume({ tenantId, receiptId, debits }: Consumption): Promise<ConsumeOutcome> {
    const request = { tenantId, receiptId, debits: checkDebits(debits) };
    if (request.debits.some(({ amount }) => amount > maxAmountTogether)) return consumeChecked(this.#sql, request);
    const kind = JSON.stringify([tenantId, ...request.debits.map(Object.values)]);
    const waiting = this.#waiting.get(kind);
    if (waiting) return new Promise((resolve, reject) => void waiting.push({ request, resolve, reject }));
    this.#waiting.set(kind, []);
    return this.#lead(kind, consumeChecked(this.#sql, request));
  }

  async #lead(kind: string, step: Promise<ConsumeOutcome>): Promise<ConsumeOutcome> {
    try {
      const outcome = await step;
      void this.#goOn(kind);
      return outcome;
    } catch (error) {
      this.#refuse(kind, error);
      throw error;
    }
  }

  /** Never rejects: those who wait learn of it. */
  async #goOn(kind: string): Promise<void> {
    const [first, ...others] = this.#waiting.get(kind)?.splice(0, maxTogether) ?? [];
    if (!first) {
      this.#waiting.delete(kind);
      return;
    }
    try {
      await this.#serve([first, ...others]);
      void this.#goOn(kind);
    } catch (error) {
      for (const { reject } of [first, ...others]) reject(error);
      this.#refuse(kind, error);
    }
  }

  /** The next step would have them wait as long again for what just failed. */
  #refuse(kind: string, error: unknown): void {
    const waiting = this.#waiting.get(kind) ?? [];
    this.#waiting.delete(kind);
    for (const { reject } of waiting) reject(error);
  }

  async #serve(together: readonly [Waiting, ...Waiting[]]): Promise<void> {
    const [first, ...others] = together;
    const requests = [first.request, ...others.map(({ request }) => request)] as const;
    const outcomes = others.length > 0 ? await consumeTogether(this.#sql, requests) : null;
    if (!outcomes) await this.#serveEach(first, others);
    else for (const [index, outcome] of outcomes.entries()) together[index]?.resolve(outcome);
  }

  /** Where there was not enough left for one of them, there was not for the others: they ask for the same. */
  async #serveEach(first: Waiting, others: readonly Waiting[]): Promise<void> {
    const outcome = await consumeChecked(this.#sql, first.request);
    first.resolve(outcome);
    for (const { request, resolve } of others) {
      resolve(outcome.outcome === 'refused' ? outcome : consumeChecked(this.#sql, request));
    }
  }
}

/** A consumption that waits for its turn. */
interface Waiting {
  readonly request: CheckedConsumption;
  readonly resolve: (outcome: ConsumeOutcome | Promise<ConsumeOutcome>) => void;
  readonly reject: (error: unknown) => void;
}
