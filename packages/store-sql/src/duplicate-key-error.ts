/** Represents a row that was refused because another row holds its unique key. Names no value. */
export class DuplicateKeyError extends Error {
  override readonly name = 'DuplicateKeyError';

  constructor(cause: unknown) {
    super('Another row holds the unique key.', { cause });
  }
}
