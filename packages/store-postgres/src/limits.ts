import { maxWaitMs } from '@x/store';

/** How long a new connection may take, in milliseconds; then it is given up, and another is tried. */
export const connectMs = 1000;

/** How long a call of one statement may take, its wait for a connection included; then it is refused, in time for the caller's own limit. */
export const callMs: number = maxWaitMs - 100;

/** How long a transaction that was undone for the sake of another one lets that go on before it is repeated. */
export const beforeRepeatMs = 50;

/** How long undoing a transaction may take where its own time is over; then its connection is closed, which undoes it. */
export const rollbackMs = 50;

/** How long the server works on a statement, or lets it wait for a lock: a little less, so that its answer still comes. */
export const statementMs: number = callMs - 150;

/** How long a connection may do nothing inside a transaction before the server ends it: above what a transaction may take. */
export const idleInTransactionMs = 10_000;
