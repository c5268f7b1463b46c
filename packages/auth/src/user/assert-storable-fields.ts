import type { JsonObject } from '@x/store';
import type { AuthConfig } from '../config/auth-config.ts';
import { validationFailed } from '../request/parse-input.ts';
import { publicFields } from './to-user.ts';

/**
 * The most bytes that the public fields of a user may take in a JWT, which has to fit into a cookie with everything
 * else.
 */
const maxPublicBytes = 1024;

/**
 * Makes sure that every store can store a user's declared fields, and that a JWT can carry the public ones.
 *
 * @throws CodedError `VALIDATION_FAILED` if a text contains U+0000 or half a surrogate pair, which Postgres refuses, or
 * if the public fields exceed 1 KiB as JSON
 */
export function assertStorableFields(fields: JsonObject, config: Pick<AuthConfig, 'userFields'>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!isStorable(value)) throw refusal([name], 'invalid_format', 'This text cannot be stored.');
  }
  if (Buffer.byteLength(JSON.stringify(publicFields(fields, config))) > maxPublicBytes) {
    throw refusal([], 'too_big', `The fields take over ${maxPublicBytes} bytes.`);
  }
}

function isStorable(value: JsonObject[string]): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}

function refusal(path: readonly string[], code: string, message: string): Error {
  return validationFailed([{ path, code, message }]);
}
