/** Represents a row that was refused because another row has its unique key. Contains no value. */
export class DuplicateKeyError extends Error {
  override readonly name = 'DuplicateKeyError';
  /** The name of the key in the engine: its index or constraint, or its columns as in `table.one, table.other`. */
  readonly key: string;

  constructor(key: string, cause: unknown) {
    super('Another row has the unique key.', { cause });
    this.key = key;
  }
}

/**
 * Represents a row that was refused because of a reference: it refers to no row, or another one refers to it. Contains
 * no value.
 */
export class ForeignKeyError extends Error {
  override readonly name = 'ForeignKeyError';

  constructor(cause: unknown) {
    super('A reference would name no row.', { cause });
  }
}

/** Says in words why a database can't be used. A host name with several addresses fails with one error for each. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : 'it does not answer in time.';
}
