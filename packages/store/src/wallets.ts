/** What is taken from one limit. */
export interface WalletDebit {
  /** The name of the limit. */
  readonly limit: string;
  /** Which of the limit's periods it counts in. */
  readonly periodStart: Date;
  /** A positive safe integer. */
  readonly amount: number;
  /** What may be consumed in the period at most: a safe integer, 0 or more, or -1, which is counted and never refused. */
  readonly max: number;
}

/** Something that is consumed from all of its limits, or from none. */
export interface Consumption {
  readonly tenantId: string;
  /** One or more; no two of the same limit. */
  readonly debits: readonly WalletDebit[];
  /** Names this call: an id that nobody else makes, as random ones are. */
  readonly receiptId: string;
  /**
   * Names what is done, so that doing it again counts once, for as long as it is not pruned. It is free again when the
   * consumption is taken back. Without one, every call counts.
   */
  readonly idempotencyKey?: string;
}

/** One period of one limit of a tenant, with what was taken from it. */
export interface WalletEntry {
  readonly limit: string;
  readonly periodStart: Date;
  readonly amount: number;
}

/** What was consumed, so that it can be taken back. It is plain data that holds no secret, and nobody may forge one. */
export interface WalletReceipt {
  readonly id: string;
  readonly tenantId: string;
  readonly entries: readonly WalletEntry[];
}

/** What became of a consumption. `consumed` is what each counter holds then, in the order of the debits. */
export type ConsumeOutcome =
  | { readonly outcome: 'consumed'; readonly receipt: WalletReceipt; readonly consumed: readonly number[] }
  /** An earlier call with the same key had consumed; its receipt may be of earlier periods. */
  | { readonly outcome: 'repeated'; readonly receipt: WalletReceipt; readonly consumed: readonly number[] }
  /** Nothing was consumed: there was not enough left of the limits in `refusedBy`, which are one or more. */
  | { readonly outcome: 'refused'; readonly refusedBy: readonly string[]; readonly consumed: readonly number[] };

/** Names one counter. */
export interface WalletCounter {
  readonly tenantId: string;
  readonly limit: string;
  readonly periodStart: Date;
}

/**
 * How much of its limits each tenant has consumed. A counter is never below 0, nor above 2^53 - 1, where it stays. What a
 * limit allows, and which period it is, is up to the caller. Every method is one atomic step.
 */
export interface WalletStore {
  /**
   * Consumes from all limits if there is enough left of each, and else from none. Of any number of concurrent calls
   * exactly as many succeed as the limits allow.
   *
   * @throws TypeError for an amount or a maximum that is none, for no debits, and for two of one limit
   */
  consume(consumption: Consumption): Promise<ConsumeOutcome>;

  /**
   * Takes a consumption back: credits the periods that it was consumed in, none below 0, and none other. Says whether this
   * call did so: a receipt is good once, for as long as that is not pruned.
   */
  unconsume(receipt: WalletReceipt): Promise<boolean>;

  /**
   * Credits counters, none below 0, where no receipt is at hand. Every call counts.
   *
   * @throws TypeError for an amount that is none, for no entries, and for two of one limit
   */
  credit(tenantId: string, entries: readonly WalletEntry[]): Promise<void>;

  /** Reads counters in one query, in their order; one that was never consumed from is 0. */
  readMany(counters: readonly WalletCounter[]): Promise<readonly number[]>;

  /**
   * Forgets up to `limit` idempotency keys and receipts taken back that are from before `before`, the oldest first, and says
   * how many. Counters stay.
   */
  prune(options: { readonly before: Date; readonly limit: number }): Promise<number>;
}
