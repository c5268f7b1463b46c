import { isDeepStrictEqual } from 'node:util';
import { invalidInput, type RecordInput } from './record-input.ts';

/**
 * Asserts that read-only fields in a caller's input equal what the record holds.
 *
 * @param record - the record as stored, or as it is about to be stored
 * @throws CodedError `VALIDATION_FAILED`
 */
export function assertUnchanged({ fixed }: RecordInput, record: Readonly<Record<string, unknown>>): void {
  const changed = Object.keys(fixed).filter((name) => !isDeepStrictEqual(fixed[name], record[name]));
  if (changed.length === 0) return;
  throw invalidInput(
    changed.map((name) => ({ path: [name], code: 'not_writable', message: 'This field cannot be set.' })),
  );
}
