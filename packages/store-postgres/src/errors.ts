import { MigrationError, queryTooExpensive, storeUnavailable } from '@x/store';
import { tableMissing, unstorableText } from '@x/store/engine';
import { DuplicateKeyError, ForeignKeyError } from '@x/store-sql';
import pg from 'pg';

/**
 * The classes of SQLSTATE caused by the statement or its values: feature not supported, cardinality, data, integrity,
 * syntax or access rule. All others are caused by the database or concurrent activity.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const ownFault = /^(0A|21|22|23|42)/;

const uniqueViolation = '23505';

const foreignKeyViolation = '23503';

/** A deadlock, or a serialization failure. */
const givenUp = /^40(P01|001)$/;

/** A statement took too long, or an administrator ended it. */
const queryCanceled = '57014';

const undefinedTable = '42P01';

/** A character that the server, or the encoding of the database, does not support. */
const notInRepertoire = /^(22021|22P05)$/;

/** Converts errors of pg to those of the store contracts; a fault of our own is returned unchanged. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof MigrationError) return error;
  // Everything else that the server did not say itself comes from the connection, or from the lack of one.
  if (!(error instanceof pg.DatabaseError)) return storeUnavailable(error);
  hideRow(error);
  if (error.code === uniqueViolation) return new DuplicateKeyError(error);
  if (error.code === foreignKeyViolation) return new ForeignKeyError(error);
  if (error.code === undefinedTable) return tableMissing(error);
  if (notInRepertoire.test(error.code ?? '')) return unstorableText([], error);
  return ownFault.test(error.code ?? '') ? error : storeUnavailable(error);
}

/** How long a query took, and how long it may take, in milliseconds. */
interface QueryTime {
  readonly tookMs: number;
  readonly limitMs: number;
}

/** Converts the error of a query, which is the fault of whoever asked for it if it took too long. */
export function toQueryError(error: unknown, { tookMs, limitMs }: QueryTime): unknown {
  const converted = toStoreError(error);
  // The text of the error says who ended it, but in the language of the server.
  const isOver = error instanceof pg.DatabaseError && error.code === queryCanceled && tookMs >= limitMs;
  return isOver ? queryTooExpensive(error) : converted;
}

/** Says whether the server rolled a transaction back in favour of others, so that repeating it may succeed. */
export function isGivenUp(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof pg.DatabaseError && givenUp.test(cause.code ?? '');
}

/** Postgres includes the refused row in the error, which a log might print. */
function hideRow(error: pg.DatabaseError): void {
  for (const field of ['detail', 'where', 'hint', 'internalQuery'] as const) delete error[field];
}
