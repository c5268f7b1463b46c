import { maxWaitMs } from '@x/store/engine';

/** How long a new connection may take, in milliseconds; then it is abandoned, and another is tried. */
export const connectMs = 1000;

/**
 * How long a call of one statement may take, including its wait for a connection; it is refused in time for the
 * caller's own limit.
 */
export const callMs: number = maxWaitMs - 100;

/** How long to wait before a rolled-back transaction is repeated, so that the other one can continue. */
export const beforeRepeatMs = 50;

/**
 * How long the rollback of a transaction that ran out of time may take; then its connection is closed, which has the
 * same effect.
 */
export const rollbackMs = 50;

/** How long the server may work on a statement: a little less, so that its error still arrives. */
export const statementMs: number = callMs - 150;

/** How long a statement may wait for a lock: a little less again, so that the error says what it waited for. */
export const lockMs: number = statementMs - 50;

/** How long the server may work on a query that may visit any number of rows; it may wait for {@link callMs} before. */
export const queryMs = 2000;

/** How long such a query is tried where everybody's are, before it begins again among expensive ones. */
export const firstTryMs = 100;

/** How long the error of the server may take to arrive after {@link queryMs}. */
export const queryGraceMs = 500;

/** How long a connection may be idle in a transaction before the server ends it: longer than a transaction may take. */
export const idleInTransactionMs = 10_000;
