import { CodedError, ConfigurationError, tooBusy } from '@x/errors';
import { isQueryTooExpensive, MigrationError, queryTooExpensive, storeUnavailable } from '@x/store';
import { tableMissing, unstorableText } from '@x/store/engine';
import { DuplicateKeyError, ForeignKeyError } from '@x/store-sql';
import pg from 'pg';

/**
 * The kinds of errors, by their consequences for the statement and its connection:
 *
 * - `fault`: the statement or its values are wrong, and nothing was changed
 * - `rolled-back`: the server rolled the transaction back, and repeating it may succeed
 * - `unavailable`: the server could not run the statement now: no resources, a lock or a limit; the connection is
 * usable
 * - `lost`: the connection is unusable, and maybe the server: it has ended, is ending, or takes no writes. A commit
 *   whose answer is lost may have happened
 */
type ErrorKind = 'fault' | 'rolled-back' | 'unavailable' | 'lost';

/**
 * The kinds by SQLSTATE, or its class. The first match counts, and other errors are `unavailable`.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const kinds: readonly (readonly [RegExp, ErrorKind])[] = [
  // A deadlock, or a serialization failure; or a pooler has lost the name of a statement, which is then sent without
  // one.
  [/^(40P01|40001|26000|42P05)$/, 'rolled-back'],
  // A connection exception, which a pooler reports for its connection to the server, and an unknown outcome.
  [/^(08|40003)/, 'lost'],
  // The server shuts down, crashed, starts up, or dropped the database; or ends a connection that was idle for too
  // long.
  [/^(57P|25P03|25P04)/, 'lost'],
  // The server takes no writes: a standby, or a primary that was made read-only.
  [/^25006/, 'lost'],
  // Feature not supported; cardinality, data, integrity; syntax or access rule; view; an error of a function or
  // trigger.
  [/^(0A|21|22|23|42|44|P0)/, 'fault'],
];

function classify(error: unknown): ErrorKind {
  if (error instanceof CodedError) return 'unavailable';
  // An error without an SQLSTATE comes from the connection, or from the lack of one.
  if (!(error instanceof pg.DatabaseError)) return 'lost';
  return kinds.find(([states]) => states.test(error.code ?? ''))?.[1] ?? 'unavailable';
}

/** Says whether a connection is unusable after an error, and maybe its server: another one may take writes instead. */
export function isLost(error: unknown): boolean {
  return classify(error) === 'lost';
}

/** Invalid credentials, or no such database or schema. */
const lasting = /^(28|3D|3F)/;

/** Node's codes for a refused certificate or handshake. */
const lastingOfTls = /CERT|^ERR_(TLS|SSL)/;

/** Says whether a refused connection will be refused again at each attempt. */
export function isLasting(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isLasting);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error instanceof pg.DatabaseError ? lasting.test(code) : lastingOfTls.test(code) || isLasting(error.cause);
}

/** Says whether the server rolled a transaction back, and repeating it may succeed. */
export function isRolledBack(error: unknown): boolean {
  return error instanceof Error && classify(error.cause) === 'rolled-back';
}

/** Says whether a call was refused without an answer of the server to its statement. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof CodedError && error.status === 503 && !(error.cause instanceof pg.DatabaseError);
}

const uniqueViolation = '23505';

const foreignKeyViolation = '23503';

/** A statement took too long, or an administrator ended it. */
const queryCanceled = '57014';

const undefinedTable = '42P01';

/**
 * A text that is too long, a number out of range, null, a check that fails, an exception that a trigger raises, or a
 * value for a column that is always generated.
 */
const refusedRow = /^(22001|22003|23502|23514|P0001|428C9)$/;

/** A character that the server, or the encoding of the database, does not support. */
const notInRepertoire = /^(22021|22P05)$/;

/** Converts errors of pg to errors of the store contracts. A fault of this package is returned unchanged. */
export function toStoreError(error: unknown): unknown {
  if ([MigrationError, ConfigurationError, CodedError].some((type) => error instanceof type)) return error;
  if (!(error instanceof pg.DatabaseError)) return storeUnavailable(error);
  hideRow(error);
  if (error.code === uniqueViolation) return new DuplicateKeyError(error.constraint ?? '', error);
  if (error.code === foreignKeyViolation) return new ForeignKeyError(error);
  if (error.code === undefinedTable) return tableMissing(error);
  if (notInRepertoire.test(error.code ?? '')) return unstorableText([], error);
  return classify(error) === 'fault' ? error : storeUnavailable(error);
}

/** Says whether the database refuses a row for its values: by the size of a column, a constraint or a trigger. */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && refusedRow.test(error.code ?? '');
}

/** Runs work, and throws errors of the store contracts instead of errors of pg. */
export async function orStoreError<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The times of a query, in milliseconds. */
interface QueryTime {
  readonly tookMs: number;
  /** How long the server was to work on it: less than the limit if its caller had waited for a connection. */
  readonly statementMs: number;
  /** How long a query may take. */
  readonly limitMs: number;
}

/** The least part of its time that counts as all of it: the clocks of two machines differ, and a connection takes some. */
const leastPart = 0.95;

/** Converts the error of a query. If the query took too long, its caller is at fault, or else the wait before it. */
export function toQueryError(error: unknown, { tookMs, statementMs, limitMs }: QueryTime): unknown {
  const converted = toStoreError(error);
  // The error's text says what ended the query, but in the language of the server.
  const isOver = tookMs >= statementMs * leastPart;
  const isCanceled = error instanceof pg.DatabaseError && error.code === queryCanceled && isOver;
  if (!isCanceled && !isQueryTooExpensive(error)) return converted;
  if (statementMs < limitMs * leastPart) return tooBusy();
  return isCanceled ? queryTooExpensive(error) : converted;
}

/** Removes the refused row, which Postgres includes in the error, and which a log might print. */
function hideRow(error: pg.DatabaseError): void {
  for (const field of ['detail', 'where', 'hint', 'internalQuery'] as const) delete error[field];
}
