/** An amount to take from one limit. */
export interface WalletDebit {
  /** The name of the limit. */
  readonly limit: string;
  /** The start of the period that it counts in. */
  readonly periodStart: Date;
  /** A positive safe integer. */
  readonly amount: number;
  /** The maximum consumption in the period: a safe integer, 0 or more; or -1, which is counted but never refused. */
  readonly max: number;
}

/** A consumption from several limits at once: from all of them, or from none. */
export interface Consumption {
  readonly tenantId: string;
  /** One or more; no two of the same limit. */
  readonly debits: readonly WalletDebit[];
  /** Identifies this call: a unique id, such as a random one. */
  readonly receiptId: string;
  /**
   * Identifies the operation, so that repeating it counts once, until the key is pruned. The key is free again when the
   * consumption is taken back. Without a key, every call counts.
   */
  readonly idempotencyKey?: string;
}

/** One period of one limit of a tenant, with the amount taken from it. */
export interface WalletEntry {
  readonly limit: string;
  readonly periodStart: Date;
  readonly amount: number;
}

/**
 * The record of a consumption, so that it can be taken back. Plain data without secrets; it must not be accepted from
 * clients.
 */
export interface WalletReceipt {
  readonly id: string;
  readonly tenantId: string;
  readonly entries: readonly WalletEntry[];
}

/** The outcome of a consumption. `consumed` is the resulting value of each counter, in the order of the debits. */
export type ConsumeOutcome =
  | { readonly outcome: 'consumed'; readonly receipt: WalletReceipt; readonly consumed: readonly number[] }
  /** An earlier call with the same key consumed; its receipt may be for earlier periods. */
  | { readonly outcome: 'repeated'; readonly receipt: WalletReceipt; readonly consumed: readonly number[] }
  /** Nothing was consumed, because there was not enough left of the limits in `refusedBy`, one or more. */
  | { readonly outcome: 'refused'; readonly refusedBy: readonly string[]; readonly consumed: readonly number[] };

/** Identifies a counter. */
export interface WalletCounter {
  readonly tenantId: string;
  readonly limit: string;
  readonly periodStart: Date;
}

/**
 * How much of its limits each tenant has consumed. A counter is never below 0, and stops at 2^53 - 1. The caller
 * decides the maximum of a limit, and its period. Every method is one atomic step.
 */
export interface WalletStore {
  /**
   * Consumes from all limits if enough is left of each, and otherwise from none. Of any number of concurrent calls,
   * exactly as many succeed as the limits allow.
   *
   * @throws TypeError for an invalid amount or maximum, for no debits, and for two debits of one limit
   */
  consume(consumption: Consumption): Promise<ConsumeOutcome>;

  /**
   * Takes a consumption back: credits the periods that it was consumed in, none below 0, and no others. Says whether
   * this call did so: a receipt works once, until it is pruned.
   */
  unconsume(receipt: WalletReceipt): Promise<boolean>;

  /**
   * Credits counters, none below 0, without a receipt. Every call counts.
   *
   * @throws TypeError for an invalid amount, for no entries, and for two entries of one limit
   */
  credit(tenantId: string, entries: readonly WalletEntry[]): Promise<void>;

  /** Reads counters in one query, in their order; one that was never consumed from is 0. */
  readMany(counters: readonly WalletCounter[]): Promise<readonly number[]>;

  /**
   * Deletes up to `limit` idempotency keys and used receipts from before `before`, the oldest first, and returns how
   * many. Counters stay.
   */
  prune(options: { readonly before: Date; readonly limit: number }): Promise<number>;
}
