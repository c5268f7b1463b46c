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
