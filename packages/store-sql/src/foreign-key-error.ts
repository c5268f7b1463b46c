/** Represents a row that was refused because of a reference: it names no row, or another one names it. Names no value. */
export class ForeignKeyError extends Error {
  override readonly name = 'ForeignKeyError';

  constructor(cause: unknown) {
    super('A reference would name no row.', { cause });
  }
}
