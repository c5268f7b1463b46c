import type pg from 'pg';
import { idleInTransactionMs, type Timeouts } from './timeouts.ts';

// Settings under which all statements run, whatever the defaults of the server, role or database: an acknowledged commit
// is durable, each statement sees what was committed before it, none takes forever, none takes more than one core, and
// all of them mean and print the same everywhere. A connection to a server keeps them. Behind a pooler they travel with
// each transaction, since a server connection belongs to somebody else before and after it: nothing may be left behind
// there. What works by keys needs fewer, and what only reads by them none, if the defaults are as needed.

/** `off` would lose what was acknowledged; the other values differ in how many servers have it by then. */
const setDurable = (isLocal: string): string =>
  `set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
    ELSE current_setting('synchronous_commit') END, ${isLocal})`;

/** What changes the meaning of our statements, or how their values are printed. The path of schemas is up to the role. */
const meaningOfOurs: Readonly<Record<string, string>> = {
  array_nulls: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  quote_all_identifiers: 'off',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
};

/** The same for statements of the app's own. */
const meaning: Readonly<Record<string, string>> = {
  ...meaningOfOurs,
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
};

/** Triggers and references would not be heeded under another one, which only a superuser may change. */
const setOrigin = (isLocal: string): string =>
  `CASE current_setting('session_replication_role') WHEN 'origin' THEN ''
    ELSE set_config('session_replication_role', 'origin', ${isLocal}) END`;

/** An expression that sets all of them. */
const setMeaning = (isLocal: string): string =>
  [
    ...Object.entries(meaning).map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`),
    setOrigin(isLocal),
  ].join(' || ');

/** Sets for a transaction what changes the meaning of its statements. */
export const selectLocalMeaning: string = `SELECT ${setMeaning('true')}`;

/** An expression that says whether our statements are durable, and mean what they should, without any of these. */
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

/**
 * Makes the other settings of a new connection, and tells what it is like. Its value is the limit of statements with
 * which the connection was started; null behind a pooler.
 */
export const selectConnectionFacts: string = `SELECT limit_ IS DISTINCT FROM $1 AS is_pooled,
    current_setting('transaction_read_only') AS read_only, current_setting('default_transaction_isolation') AS isolation,
    ${isAsNeeded} AS is_as_needed,
    ${setDurable('limit_ IS DISTINCT FROM $1')},
    set_config('default_transaction_isolation', 'read committed', limit_ IS DISTINCT FROM $1),
    set_config('max_parallel_workers_per_gather', '0', limit_ IS DISTINCT FROM $1),
    ${setMeaning('limit_ IS DISTINCT FROM $1')}
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
    ...(isAsNeeded && effort !== 'any' ? [] : [`SELECT ${setDurable('true')} || ${setMeaning('true')}`]),
  ].join('; ');
}

const ofLongWork = [
  `SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
  'SET LOCAL max_parallel_workers_per_gather = 0',
];
/** Releases the locks that a session keeps beyond its transactions. */
export const unlockSession = 'SELECT pg_advisory_unlock_all()';

/** Brings a session back to what it was when it started, but for prepared statements: ours have names of their own. */
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
