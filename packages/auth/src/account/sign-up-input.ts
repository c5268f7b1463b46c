import type { JsonObject } from '@x/store';
import { z } from 'zod';
import type { AuthConfig } from '../config/auth-config.ts';
import type { UserField } from '../config/auth-settings.ts';
import { parseInput } from '../request/parse-input.ts';
import { toPlainInput } from '../request/to-plain-input.ts';
import { assertStorableFields } from '../user/assert-storable-fields.ts';
import { reservedUserFields } from '../user/user-fields.ts';
import { email, password } from './credentials.ts';

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
export function createSignUpParser(config: Pick<AuthConfig, 'userFields'>): (input: unknown) => Promise<SignUpInput> {
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
  readonly userFields: Readonly<Record<string, UserField>>;
}): z.ZodType<{ readonly email: string; readonly password: string }> {
  const declared = Object.entries(userFields).map(([name, { schema }]) => [name, schema] as const);
  return z.strictObject({ ...Object.fromEntries(declared), email, password });
}

const jsonObject = z.record(z.string(), z.json());

function toJson(fields: unknown): JsonObject {
  const parsed = jsonObject.safeParse(fields);
  if (parsed.success) return parsed.data;
  const names = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  throw new TypeError(`userFields: the schema has to yield JSON: ${[...names].join(', ')}`);
}

function withoutReserved(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => isOpen(name)));
}

function isOpen(name: string): boolean {
  return name === 'email' || name === 'password' || !reservedUserFields.has(name);
}
