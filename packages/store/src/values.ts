import { CodedError } from '@x/errors';

/** A string that identifies a record of one kind, branded so that a session's id can't be passed for a user's. */
type Id<Kind extends string> = string & { readonly '~kind': Kind };

/** Identifies a user. */
export type UserId = Id<'user'>;

/** Converts the id of a session's user, a plain text, to that of the stores. It need not be the id of any user. */
export function toUserId(id: string): UserId {
  return id as UserId;
}

/** Identifies a session; the `sid` claim of its JWTs. A UUID in lower case. */
export type SessionId = Id<'session'>;

/** Identifies an event. */
export type EventId = Id<'event'>;

/** A value that JSON can carry without loss. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; absent members are left out, never `undefined`. */
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** Says whether every engine can store a text: it contains neither U+0000 nor half a surrogate pair. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * Asserts that every engine can store a text.
 *
 * @param path - the place of the text in the caller's input
 * @throws CodedError `VALIDATION_FAILED`
 */
export function assertStorableText(text: string, path: readonly string[] = []): void {
  if (!isStorableText(text)) throw unstorableText(path);
}

/**
 * Builds the error for a text that not every engine can store. A CodedError, because the text may come from a request.
 */
export function unstorableText(path: readonly string[] = [], cause?: unknown): CodedError {
  const message = 'This text cannot be stored.';
  return new CodedError('VALIDATION_FAILED', message, { issues: [{ path, code: 'invalid_format', message }], cause });
}

/**
 * Orders texts by code point, as `COLLATE "C"` and SQLite do. JavaScript itself orders by code unit, which puts
 * characters above U+FFFF before those from U+E000 on.
 */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [unit, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (unit !== other) return toRank(unit) - toRank(other);
  }
  return a.length - b.length;
}

/** Ranks surrogates, which encode the characters above U+FFFF, after all other code units. */
function toRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
