import { MigrationError, storeUnavailable, tableMissing, unstorableText } from '@x/store';
import { DuplicateKeyError, ForeignKeyError } from '@x/store-sql';
import pg from 'pg';

/**
 * The classes of SQLSTATE that blame the statement or its values: feature not supported, cardinality, data, integrity,
 * syntax or access rule. All others blame the database, or what else goes on there.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const ownFault = /^(0A|21|22|23|42)/;

const uniqueViolation = '23505';

const foreignKeyViolation = '23503';

/** A deadlock, or a serialization failure. */
const givenUp = /^40(P01|001)$/;

const undefinedTable = '42P01';

/** A character that the server, or the encoding of the database, does not have. */
const notInRepertoire = /^(22021|22P05)$/;

/** Converts what pg throws to the error that the store contracts name; a fault of our own stays what it is. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof MigrationError) return error;
  // Whatever else the server did not say itself comes from the connection to it, or from the lack of one.
  if (!(error instanceof pg.DatabaseError)) return storeUnavailable(error);
  hideRow(error);
  if (error.code === uniqueViolation) return new DuplicateKeyError(error);
  if (error.code === foreignKeyViolation) return new ForeignKeyError(error);
  if (error.code === undefinedTable) return tableMissing(error);
  if (notInRepertoire.test(error.code ?? '')) return unstorableText([], error);
  return ownFault.test(error.code ?? '') ? error : storeUnavailable(error);
}

/** Says whether the server has undone a transaction for the sake of others, so that it may succeed if it is repeated. */
export function isGivenUp(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof pg.DatabaseError && givenUp.test(cause.code ?? '');
}

/** Postgres writes the row that it refuses into the error, which a log may print. */
function hideRow(error: pg.DatabaseError): void {
  for (const field of ['detail', 'where', 'hint', 'internalQuery'] as const) delete error[field];
}
