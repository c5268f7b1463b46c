import { idleInTransactionMs, type Timeouts } from './timeouts.ts';

/**
 * Settings under which all statements run, whatever the defaults of the server, role or database: an acknowledged commit
 * is durable, each statement sees what was committed before it, and none takes forever. A connection to a server keeps
 * them. Behind a pooler they travel with each transaction, since a server connection belongs to somebody else before and
 * after it: nothing may be left behind there. PgBouncer would refuse the same settings as startup parameters.
 */
function set({ statementMs, lockMs }: Timeouts, { origin, isLocal }: Scope): string {
  return `${setLimitTo(`'${statementMs}'`, isLocal)}, set_config('lock_timeout', '${lockMs}', ${isLocal}),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
      ELSE current_setting('synchronous_commit') END, ${isLocal}),
    set_config('auth.origin', ${origin}, ${isLocal})`;
}

const setLimitTo = (serverMs: string, isLocal: string): string =>
  `set_config('statement_timeout', ${serverMs}, ${isLocal})`;

const setIdleLimit = (isLocal: string): string =>
  `set_config('idle_in_transaction_session_timeout', '${idleInTransactionMs}', ${isLocal})`;

const setOneCore = "set_config('max_parallel_workers_per_gather', '0', true)";

/** Whose settings they are, and for how long, as SQL. */
interface Scope {
  /** What names the connection; revocations name it as their origin. */
  readonly origin: string;
  /** Whether they end with the transaction. */
  readonly isLocal: string;
}

/** The name of {@link selectConnectionSettings}, which the server knows by another one where a pooler keeps names. */
export const probeName = 'probe';

const isPooled = 'COALESCE($1::boolean, pg_backend_pid() <> $2::int)';

/**
 * Returns what makes the settings of a new connection, and tells what it is like. Its values are whether there is a pooler, if that is
 * known, the process that the client was told, and the origin.
 */
export function selectConnectionSettings(timeouts: Timeouts): string {
  return `SELECT pg_backend_pid() AS process_id,
    current_setting('transaction_read_only') AS read_only, current_setting('default_transaction_isolation') AS isolation,
    EXISTS (SELECT FROM pg_prepared_statements WHERE name = '${probeName}') AS has_own_names,
    ${set(timeouts, { origin: '$3', isLocal: isPooled })}, ${setIdleLimit(isPooled)},
    set_config('default_transaction_isolation', 'read committed', ${isPooled})`;
}

/** What {@link selectConnectionSettings} tells. */
export interface ConnectionFacts {
  /** The id of the process of the server that answers; behind a pooler not the one that the client was told. */
  readonly process_id: number;
  readonly read_only: 'on' | 'off';
  /** What the isolation of transactions was by default. */
  readonly isolation: string;
  /**
   * Whether the server knows statements by the names that we give them. A pooler that gives them others knows which of
   * its connections has which of them.
   */
  readonly has_own_names: boolean;
}

/** Sets the limit of a query on a connection to a server. It does not take more than one core either. */
export const setLimit: string = `SELECT ${setLimitTo('$1', 'true')}, ${setOneCore}`;

/** Begins a transaction. */
export const begin = { direct: 'BEGIN', pooled: 'BEGIN ISOLATION LEVEL READ COMMITTED' };

/** Whether a statement may change rows. */
export type Access = 'read' | 'write';

/** Statements that make settings behind a pooler. */
export type PooledSettings = Readonly<Record<Access | 'transaction', string>>;

/**
 * Returns what precedes a statement of its own behind a pooler, in the same implicit transaction, and the statements of a
 * transaction. One that only reads needs no more than a limit, since every setting takes time. The value of the others
 * is the origin.
 */
export function toPooledSettings(timeouts: Timeouts): PooledSettings {
  const setWrite = set(timeouts, { origin: '$1', isLocal: 'true' });
  return {
    read: `SELECT ${setLimitTo(`'${timeouts.statementMs}'`, 'true')}`,
    write: `SELECT ${setWrite}`,
    transaction: `SELECT ${setWrite}, ${setIdleLimit('true')}`,
  };
}
