import { CodedError } from '@x/errors';

/** Says whether every engine can keep a text: it has neither U+0000 nor half a surrogate pair. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * Asserts that every engine can keep a text.
 *
 * @param path - where it stands in what the caller handed in
 * @throws CodedError `VALIDATION_FAILED`
 */
export function assertStorableText(text: string, path: readonly string[] = []): void {
  if (!isStorableText(text)) throw unstorableText(path);
}

/** Builds the error of a text that not every engine can keep: it may come from a request. */
export function unstorableText(path: readonly string[] = [], cause?: unknown): CodedError {
  const message = 'This text cannot be stored.';
  return new CodedError('VALIDATION_FAILED', message, { issues: [{ path, code: 'invalid_format', message }], cause });
}
