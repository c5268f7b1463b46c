import { idleInTransactionMs, lockMs, statementMs } from './timeouts.ts';

/**
 * Settings under which all statements run, whatever the defaults of the server, role or database: an acknowledged commit
 * is durable, each statement sees what was committed before it, and none takes forever. A connection to a server keeps
 * them. Behind a pooler they travel with each transaction, since a server connection belongs to somebody else before and
 * after it: nothing may be left behind there. PgBouncer would refuse the same settings as startup parameters.
 */
function set(serverMs: number, { origin, isLocal }: Scope): string {
  return `set_config('statement_timeout', '${serverMs}', ${isLocal}),
    set_config('lock_timeout', '${lockMs}', ${isLocal}),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
      ELSE current_setting('synchronous_commit') END, ${isLocal}),
    set_config('auth.origin', '${origin}', ${isLocal})`;
}

const setIdleLimit = (isLocal: string): string =>
  `set_config('idle_in_transaction_session_timeout', '${idleInTransactionMs}', ${isLocal})`;

/** Whose settings they are, and for how long. */
interface Scope {
  /** Names the connection, which revocations name as their origin. Has neither quotes nor spaces. */
  readonly origin: string;
  /** The SQL of whether they end with the transaction. */
  readonly isLocal: string;
}

/**
 * Makes the settings of a new connection, and tells what it is like.
 */
export function selectConnectionSettings(scope: Scope): string {
  const { isLocal } = scope;
  return `SELECT pg_backend_pid() AS process_id, current_setting('transaction_read_only') AS read_only,
    current_setting('default_transaction_isolation') AS isolation, ${set(statementMs, scope)}, ${setIdleLimit(isLocal)},
    set_config('default_transaction_isolation', 'read committed', ${isLocal})`;
}

/** What {@link selectConnectionSettings} tells. */
export interface ConnectionFacts {
  /** The id of the process of the server that answers; behind a pooler not the one that the client was told. */
  readonly process_id: number;
  readonly read_only: 'on' | 'off';
  /** What the isolation of transactions was by default. */
  readonly isolation: string;
}

/**
 * What a connection to a server prepares once, so that a query can bring its own limit along. It does not take more than
 * one core either.
 */
export const prepareLimit = `PREPARE "limit" (text) AS SELECT set_config('statement_timeout', $1, true),
  set_config('max_parallel_workers_per_gather', '0', true)`;

/** Begins a transaction behind a pooler. */
export function toPooledBegin(origin: string): string {
  const settings = `${set(statementMs, { origin, isLocal: 'true' })}, ${setIdleLimit('true')}`;
  return `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT ${settings}`;
}

/**
 * Returns what precedes a statement of its own behind a pooler, in the same implicit transaction.
 *
 * @param queryMs - the limit of a query; null: it is no query, or has the limit of other statements
 */
export function toPooledSettings(origin: string, queryMs: number | null): string {
  const settings = set(queryMs ?? statementMs, { origin, isLocal: 'true' });
  if (queryMs === null) return `SELECT ${settings}`;
  return `SELECT ${settings}, set_config('max_parallel_workers_per_gather', '0', true)`;
}
