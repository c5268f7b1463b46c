import type pg from 'pg';
import { idleInTransactionMs, type Timeouts } from './timeouts.ts';

// The settings of all statements, independent of the defaults of the server, role or database. An acknowledged commit
// is durable, each statement sees the commits before it, no statement takes forever or more than one core, and all have
// the same meaning and output everywhere. A connection to a server keeps the settings. Behind a pooler each transaction
// makes them, because other clients use the server connection before and after it. Statements that find rows by keys
// need fewer settings; if they only read, they need none where the defaults are as needed.

/** `off` would lose acknowledged commits. The other values differ in how many servers have a commit by then. */
const setDurable = (isLocal: string): string =>
  `set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, ${isLocal})`;

/** The settings that change the meaning or output of the stores' statements. The path of schemas is up to the role. */
const meaningOfOurs: Readonly<Record<string, string>> = {
  array_nulls: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  quote_all_identifiers: 'off',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
};

/** The same for statements of the app. */
const meaning: Readonly<Record<string, string>> = {
  ...meaningOfOurs,
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
};

/** With another value, which only a superuser may set, triggers and references would be ignored. */
const setOrigin = (isLocal: string): string =>
  `CASE current_setting('session_replication_role') WHEN 'origin' THEN ''
    ELSE set_config('session_replication_role', 'origin', ${isLocal}) END`;

/** An expression that sets all of them. */
const setMeaning = (isLocal: string): string =>
  [
    ...Object.entries(meaning).map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`),
    setOrigin(isLocal),
  ].join(' || ');

/** Makes the settings for a transaction that change the meaning of its statements. */
export const selectLocalMeaning: string = `SELECT ${setMeaning('true')}`;

/** An expression that says whether the defaults are as these settings. */
const isAsNeeded = [
  `current_setting('synchronous_commit') <> 'off' AND current_setting('session_replication_role') = 'origin'`,
  ...Object.entries(meaningOfOurs).map(([name, value]) => `current_setting('${name}') = '${value}'`),
].join(' AND ');

/** The limits that a connection to a server starts with. A pooler refuses them, or does not pass them on. */
export function toStartLimits({ statementMs, lockMs }: Timeouts): pg.ClientConfig {
  return {
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
}

/** Selects the limit of statements of a connection, in milliseconds. */
export const selectStatementLimit = "SELECT setting AS limit_ FROM pg_settings WHERE name = 'statement_timeout'";

/**
 * Makes the other settings of a new connection, and reads facts about it. Its value is the limit of statements with
 * which the connection was started; null behind a pooler.
 */
export const selectConnectionFacts: string = `SELECT is_pooled,
    current_setting('transaction_read_only') AS read_only, current_setting('default_transaction_isolation') AS isolation,
    ${isAsNeeded} AS is_as_needed,
    ${setDurable('is_pooled')},
    set_config('default_transaction_isolation', 'read committed', is_pooled),
    set_config('max_parallel_workers_per_gather', '0', is_pooled),
    ${setMeaning('is_pooled')}
  FROM (SELECT limit_ IS DISTINCT FROM $1 AS is_pooled FROM (${selectStatementLimit}) AS limits_) AS connection_`;

/** The result of {@link selectConnectionFacts}. */
export interface ConnectionFacts {
  /** Whether the connection lacks the limit of statements with which it was started. */
  readonly is_pooled: boolean;
  readonly read_only: 'on' | 'off';
  /** The default isolation of transactions. */
  readonly isolation: string;
  /** Whether the other settings, except for limits, have the needed values by default. */
  readonly is_as_needed: boolean;
}

/**
 * The effort of a statement: to read rows by keys, which waits only for the lock of a migration; to write rows by keys;
 * or any, as of a search or a transaction.
 */
type Effort = 'read' | 'write' | 'any';

/** What a statement needs of the settings. */
export interface Needs {
  /** Default: any. */
  readonly effort?: Effort;
  /** How long the server may work on it, in milliseconds. Default and maximum: the limit of all statements. */
  readonly statementMs?: number;
}

/** What is known of the settings of a connection. */
interface ConnectionSettings {
  readonly timeouts: Timeouts;
  readonly pooler: { readonly isPresent: boolean; readonly isAsNeeded: boolean };
}

/** Says whether a connection has the settings that a statement needs. */
export function hasSettingsFor(needs: Needs, { timeouts, pooler }: ConnectionSettings): boolean {
  const { effort = 'any', statementMs = Infinity } = needs;
  return pooler.isPresent ? effort === 'read' && pooler.isAsNeeded : statementMs >= timeouts.statementMs;
}

/** Begins a transaction, with the settings that a statement of it needs and its connection lacks. */
export function toBegin(needs: Needs, { timeouts, pooler }: ConnectionSettings): string {
  const { effort = 'any', statementMs = Infinity } = needs;
  const limitMs = Math.max(1, Math.min(statementMs, timeouts.statementMs));
  const parts = ['BEGIN ISOLATION LEVEL READ COMMITTED'];
  if (pooler.isPresent || limitMs < timeouts.statementMs) parts.push(`SET LOCAL statement_timeout = ${limitMs}`);
  if (!pooler.isPresent) return parts.join('; ');
  if (effort === 'any') parts.push(`SET LOCAL lock_timeout = ${timeouts.lockMs}`, ...ofLongWork);
  if (effort === 'any' || !pooler.isAsNeeded) parts.push(`SELECT ${setDurable('true')} || ${setMeaning('true')}`);
  return parts.join('; ');
}

const ofLongWork = [
  `SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
  'SET LOCAL max_parallel_workers_per_gather = 0',
];

/** Releases the locks that a session holds beyond its transactions. */
export const unlockSession = 'SELECT pg_advisory_unlock_all()';

/** Resets a session, except for prepared statements: those of the stores have unique names. */
export const resetSession: string = `RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL; CLOSE ALL; UNLISTEN *;
  DISCARD TEMP; DISCARD SEQUENCES; ${unlockSession}`;

/** Says whether a statement may change its session beyond the transaction, such as a `SET` that is not `LOCAL`. */
export const leavesSomething: RegExp = new RegExp(
  [
    String.raw`^(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*(?:LISTEN|LOAD|PREPARE|SET\s+(?!LOCAL\b|CONSTRAINTS\b)|CREATE\s+(?:\w+\s+)?TEMP)`,
    String.raw`\bWITH\s+HOLD\b`,
    String.raw`\bset_config\s*\((?![^)]*,\s*true\s*\))`,
  ].join('|'),
  'i',
);
