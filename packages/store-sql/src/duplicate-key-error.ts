/** Represents a row that was refused because another row has its unique key. Contains no value. */
export class DuplicateKeyError extends Error {
  override readonly name = 'DuplicateKeyError';

  constructor(cause: unknown) {
    super('Another row holds the unique key.', { cause });
  }
}
