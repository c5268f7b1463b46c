import { isObject } from '@x/errors';
import type { JsonObject } from '@x/store';
import { z } from 'zod';
import { emailSchema } from '../email/canonicalize-email.ts';
import { passwordSchema } from '../password/policy.ts';
import { parseInput, toPlainInput } from '../request/parse-input.ts';
import { changeFields, toProfileFields } from '../user/field-values.ts';
import type { DeclaredFields } from '../user/declared-fields.ts';
import { ignoredAtSignUp, type UserConfig } from '../user/user.ts';

/** A parsed sign-up: the canonical e-mail address, the password, and the values of the app's own fields. */
export interface SignUpInput {
  readonly email: string;
  readonly password: string;
  readonly fields: JsonObject;
}

/**
 * Builds the parser of sign-ups. Reserved fields are ignored, unknown fields are refused, and those that sign-up does
 * not take have their defaults.
 *
 * The parser throws a `CodedError` `VALIDATION_FAILED`, or a `TypeError` if a declared schema yields a value that is
 * not JSON.
 */
export function createSignUpParser(config: UserConfig): (input: unknown) => SignUpInput {
  const schema = createSignUpSchema(config);
  const own = Object.entries(config.userFields).filter(([, { signUp }]) => !signUp);
  const ofApp = { ...config, userFields: Object.fromEntries(own) };
  return (input) => {
    const { email, password, ...rest } = parseInput(schema, withoutReserved(toPlainInput(input)));
    return { email, password, fields: changeFields(toProfileFields({}, ofApp), rest, config) };
  };
}

/** Builds the schema of a sign-up, without the reserved fields that are ignored. */
export function createSignUpSchema({
  userFields,
}: {
  readonly userFields: DeclaredFields;
}): z.ZodType<{ readonly email: string; readonly password: string }> {
  const taken = Object.entries(userFields).filter(([, { signUp }]) => signUp);
  const declared = taken.map(([name, { schema }]) => [name, schema] as const);
  return z.strictObject({ ...Object.fromEntries(declared), email: emailSchema, password: passwordSchema });
}

function withoutReserved(input: unknown): unknown {
  if (!isObject(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !ignoredAtSignUp.has(name)));
}
