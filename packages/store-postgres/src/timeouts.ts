import type { Patience } from '@x/store/engine';

/** Limits that follow from the patience of callers, in milliseconds. */
export interface Timeouts {
  /** How long a call inside a transaction may wait for others of it. */
  readonly waitMs: number;
  /** How long a server may take to accept a connection. */
  readonly connectMs: number;
  /**
   * How long a call of one statement may take, including its wait for a connection. It is refused before the caller's
   * own limit.
   */
  readonly callMs: number;
  /** How long the server may work on a statement: a little less, so that its error still arrives. */
  readonly statementMs: number;
  /** How long a statement may wait for a lock: a little less again, so that the error names the lock. */
  readonly lockMs: number;
}

/** By default 1.9 s for a call, 1.75 s for a statement, and 1.7 s for a lock. */
export function toTimeouts({ waitMs, connectMs }: Patience): Timeouts {
  const part = (share: number): number => Math.floor(waitMs * share);
  return { waitMs, connectMs, callMs: part(0.95), statementMs: part(0.875), lockMs: part(0.85) };
}

/** How long a server may take to close a connection before the connection is dropped. */
export const closeMs = 1000;

/** How long the server may take to report that it has ended a query. */
export const answerMs = 100;

/** How long to wait before a rolled-back transaction is repeated, so that the other one can continue. */
export const beforeRepeatMs = 50;

/**
 * How long the rollback of a transaction that ran out of time may take. After that its connection is closed, which has
 * the same effect.
 */
export const rollbackMs = 50;

/** How long a connection may be idle in a transaction before the server ends it: longer than a transaction may take. */
export const idleInTransactionMs = 10_000;
