import { type Issue, isObject, validationFailed } from '@x/errors';
import { isStorableText, type JsonObject } from '@x/store';
import { z } from 'zod';
import { parseInput, toPlainInput } from '../request/parse-input.ts';
import type { DeclaredFields } from './declared-fields.ts';
import { publicFields, type UserConfig } from './user.ts';

/** Values of some fields as their schemas yield them; undefined removes one. */
type FieldChange = Readonly<Record<string, unknown>>;

/**
 * Parses a change of some of the given fields. The schemas of the others are not asked, so a default does not replace a
 * value.
 *
 * @throws CodedError `VALIDATION_FAILED`
 */
export function parseFieldChange(input: unknown, userFields: DeclaredFields): FieldChange {
  const plain = toPlainInput(input);
  const sent = Object.entries(userFields).filter(([name]) => isObject(plain) && Object.hasOwn(plain, name));
  return parseInput(z.strictObject(Object.fromEntries(sent.map(([name, { schema }]) => [name, schema]))), plain);
}

/**
 * Returns the fields of a user after a change.
 *
 * @throws CodedError `VALIDATION_FAILED` if they can't be stored, or a JWT can't carry the public ones; TypeError if a
 * schema yielded a value that is not JSON
 */
export function changeFields(fields: JsonObject, change: FieldChange, config: UserConfig): JsonObject {
  const changed = toJson(toPlainInput({ ...fields, ...change }));
  const problem = findProblem(changed, config);
  if (problem !== null) throw validationFailed([problem]);
  return changed;
}

/**
 * Returns the fields of a user whom a provider introduces: the values that the app made of the profile, and the
 * defaults of the schemas. A value that is not accepted is left out, because no form is open in which the user could
 * correct it: the user may be `incomplete` then.
 *
 * @throws TypeError if a field is not declared, or a schema yields a value that is not JSON
 */
export function toProfileFields(given: Readonly<Record<string, unknown>>, config: UserConfig): JsonObject {
  const undeclared = Object.keys(given).filter((name) => !Object.hasOwn(config.userFields, name));
  if (undeclared.length > 0) throw new TypeError(`There are no such user fields: ${undeclared.join(', ')}`);
  let fields: JsonObject = {};
  for (const [name, { schema }] of Object.entries(config.userFields)) {
    const parsed = schema.safeParse(given[name]);
    if (!parsed.success) continue;
    const changed = toJson(toPlainInput({ ...fields, [name]: parsed.data }));
    if (findProblem(changed, config) === null) fields = changed;
  }
  return fields;
}

const jsonObject = z.record(z.string(), z.json());

function toJson(fields: unknown): JsonObject {
  const parsed = jsonObject.safeParse(fields);
  if (parsed.success) return parsed.data;
  const names = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  throw new TypeError(`userFields: have the schema yield JSON, such as a text for a date: ${[...names].join(', ')}`);
}

/**
 * The most bytes that the public fields of a user may take in a JWT, which has to fit into a cookie with everything
 * else.
 */
const maxPublicBytes = 1024;

/**
 * Finds out why fields can't be stored: a text contains U+0000 or half a surrogate pair, which Postgres refuses, or the
 * public ones exceed 1 KiB as JSON.
 */
function findProblem(fields: JsonObject, config: UserConfig): Issue | null {
  for (const [name, value] of Object.entries(fields)) {
    if (!isStorable(value)) return { path: [name], code: 'invalid_format', message: 'This text cannot be stored.' };
  }
  return Buffer.byteLength(JSON.stringify(publicFields(fields, config))) > maxPublicBytes
    ? { path: [], code: 'too_big', message: `The fields take over ${maxPublicBytes} bytes.` }
    : null;
}

function isStorable(value: JsonObject[string]): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorableText(name) && isStorable(member));
}
