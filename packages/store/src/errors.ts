import { CodedError } from '@x/errors';

/** Builds the error for an unavailable database. `retryAfter` is in seconds. */
export function storeUnavailable(cause?: unknown, retryAfter = 1): CodedError {
  return new CodedError('SERVICE_UNAVAILABLE', 'The service is temporarily unavailable.', { retryAfter, cause });
}

/** Builds the error for a query that ran for longer than it may. */
export function queryTooExpensive(cause?: unknown): CodedError {
  return new CodedError('QUERY_TOO_EXPENSIVE', 'The query takes too long.', { cause });
}

/** Says whether an error is that of a query that ran for longer than it may. */
export function isQueryTooExpensive(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'QUERY_TOO_EXPENSIVE';
}

/** The subject of a row's conflict. */
interface ConflictDetails {
  /** The columns of the unique key that another row has. Default: none, for a reference. */
  readonly columns?: readonly string[];
  readonly cause?: unknown;
}

/**
 * Builds the error for a row that conflicts with another one, by a reference or by a unique key; its `issues` name the
 * columns of the key.
 */
export function storeConflict({ columns = [], cause }: ConflictDetails = {}): CodedError {
  const message =
    columns.length > 1 ? 'Another record has this combination of values.' : 'Another record has this value.';
  const issues = columns.map((column) => ({ path: [column], code: 'not_unique', message }));
  return new CodedError('CONFLICT', 'This conflicts with another record.', {
    ...(issues.length > 0 && { issues }),
    cause,
  });
}

/** Builds the error for a row that the database refuses for its values, by a constraint or a trigger of the app's. */
export function rowRefused(cause: unknown): CodedError {
  return new CodedError('VALIDATION_FAILED', 'The database refuses the record.', { cause });
}

/** Builds the error for a database that lacks the tables of a statement. */
export function tableMissing(cause: unknown): MigrationError {
  return new MigrationError('The database has no such table. Call migrate() first: `initialize()` of a server does.', {
    cause,
  });
}

/** Represents a schema that this version can't work with; its message gives the remedy. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}
