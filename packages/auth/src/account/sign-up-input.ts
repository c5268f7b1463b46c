import { isObject, validationFailed } from '@x/errors';
import { isStorableText, type JsonObject } from '@x/store';
import { z } from 'zod';
import { emailSchema } from '../email/canonicalize-email.ts';
import { passwordSchema } from '../password/policy.ts';
import { parseInput, toPlainInput } from '../request/parse-input.ts';
import type { UserFields } from '../user/fields.ts';
import { publicFields, reservedUserFields, type UserConfig } from '../user/user.ts';

/** A parsed sign-up: the canonical e-mail address, the password, and the values of the app's own fields. */
export interface SignUpInput {
  readonly email: string;
  readonly password: string;
  readonly fields: JsonObject;
}

/**
 * Builds the parser of sign-ups. Reserved fields are ignored, unknown fields are refused.
 *
 * The parser throws a `CodedError` `VALIDATION_FAILED`, or a `TypeError` if a declared schema yields a value that is
 * not JSON.
 */
export function createSignUpParser(config: UserConfig): (input: unknown) => Promise<SignUpInput> {
  const schema = createSignUpSchema(config);
  return async (input) => {
    const { email, password, ...rest } = await parseInput(schema, withoutReserved(toPlainInput(input)));
    const fields = toJson(toPlainInput(rest));
    assertStorableFields(fields, config);
    return { email, password, fields };
  };
}

/** Builds the schema of a sign-up, without the reserved fields that are ignored. */
export function createSignUpSchema({
  userFields,
}: {
  readonly userFields: UserFields;
}): z.ZodType<{ readonly email: string; readonly password: string }> {
  const declared = Object.entries(userFields).map(([name, { schema }]) => [name, schema] as const);
  return z.strictObject({ ...Object.fromEntries(declared), email: emailSchema, password: passwordSchema });
}

const jsonObject = z.record(z.string(), z.json());

function toJson(fields: unknown): JsonObject {
  const parsed = jsonObject.safeParse(fields);
  if (parsed.success) return parsed.data;
  const names = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  throw new TypeError(`userFields: the schema has to yield JSON: ${[...names].join(', ')}`);
}

function withoutReserved(input: unknown): unknown {
  if (!isObject(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => isSettable(name)));
}

function isSettable(name: string): boolean {
  return name === 'email' || name === 'password' || !reservedUserFields.has(name);
}

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
function assertStorableFields(fields: JsonObject, config: UserConfig): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!isStorable(value)) throw invalidField([name], 'invalid_format', 'This text cannot be stored.');
  }
  if (Buffer.byteLength(JSON.stringify(publicFields(fields, config))) > maxPublicBytes) {
    throw invalidField([], 'too_big', `The fields take over ${maxPublicBytes} bytes.`);
  }
}

function isStorable(value: JsonObject[string]): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorableText(name) && isStorable(member));
}

function invalidField(path: readonly string[], code: string, message: string): Error {
  return validationFailed([{ path, code, message }]);
}
