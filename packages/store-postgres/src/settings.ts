import type pg from 'pg';
import { idleInTransactionMs, type Timeouts } from './timeouts.ts';

// Settings under which all statements run, whatever the defaults of the server, role or database: an acknowledged commit
// is durable, each statement sees what was committed before it, none takes forever, and none takes more than one core. A
// connection to a server keeps them. Behind a pooler they travel with each transaction, since a server connection belongs
// to somebody else before and after it: nothing may be left behind there. What works by keys needs fewer, and what only
// reads by them none.

/** `off` would lose what was acknowledged; the other values differ in how many servers have it by then. */
const setDurable = (isLocal: string): string =>
  `set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, ${isLocal})`;

/** The limits that a connection to a server starts with. A pooler refuses them, or does not pass them on. */
export function toStartLimits({ statementMs, lockMs }: Timeouts): pg.ClientConfig {
  return {
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
}

/**
 * Makes the other settings of a new connection, and tells what it is like. Its value is the limit of statements with
 * which the connection was started; null behind a pooler.
 */
export const selectConnectionFacts: string = `SELECT limit_ IS DISTINCT FROM $1 AS is_pooled,
    current_setting('transaction_read_only') AS read_only, current_setting('default_transaction_isolation') AS isolation,
    current_setting('synchronous_commit') <> 'off' AS is_as_needed,
    ${setDurable('limit_ IS DISTINCT FROM $1')},
    set_config('default_transaction_isolation', 'read committed', limit_ IS DISTINCT FROM $1),
    set_config('max_parallel_workers_per_gather', '0', limit_ IS DISTINCT FROM $1)
  FROM (SELECT setting AS limit_ FROM pg_settings WHERE name = 'statement_timeout') AS limits_`;

/** What {@link selectConnectionFacts} tells. */
export interface ConnectionFacts {
  /** Whether the connection lacks the limit of statements with which it was started. */
  readonly is_pooled: boolean;
  readonly read_only: 'on' | 'off';
  /** What the isolation of transactions was by default. */
  readonly isolation: string;
  /** Whether the other settings, but for limits, are by default as they have to be. */
  readonly is_as_needed: boolean;
}

const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** Begins a transaction, whose statements may have a lower limit of time than that of their connection. */
export function toBegin(limits: Timeouts, ofConnection: Timeouts): string {
  if (limits.statementMs === ofConnection.statementMs) return begin;
  return `${begin}; SET LOCAL statement_timeout = ${limits.statementMs}`;
}

/**
 * What a statement may do: read what it finds by keys, for which it waits for no lock but that of a migration; write what it
 * finds by keys; or anything, as a search or a transaction may.
 */
export type Effort = 'read' | 'write' | 'any';

/** Begins a transaction behind a pooler, whose defaults may be as needed. */
export function toPooledBegin(
  { statementMs, lockMs }: Timeouts,
  { isAsNeeded }: { readonly isAsNeeded: boolean },
  effort: Effort,
): string {
  return [
    `${begin}; SET LOCAL statement_timeout = ${statementMs}`,
    ...(effort === 'any' ? [`SET LOCAL lock_timeout = ${lockMs}`, ...ofLongWork] : []),
    ...(isAsNeeded ? [] : [`SELECT ${setDurable('true')}`]),
  ].join('; ');
}

const ofLongWork = [
  `SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
  'SET LOCAL max_parallel_workers_per_gather = 0',
];
