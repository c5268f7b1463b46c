import { z } from 'zod';
import { cookieNames } from '../cookies/auth-cookies.ts';
import type { AuthResponse } from './auth-route.ts';
import type { AuthFeatures } from './auth-features.ts';

/** A value as JSON carries it: dates are ISO 8601 text. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Name in keyof T]: Wire<T[Name]> }
      : T;

/** A date on the wire: ISO 8601 in UTC, with milliseconds. */
export const moment: z.ZodISODateTime = z.iso.datetime({ precision: 3 });

const ok: z.ZodType = z.strictObject({ ok: z.literal(true) });

/** Builds the answer of a step without a result. */
export function done(description: string, cookies?: readonly string[]): AuthResponse {
  return { status: 200, description, schema: ok, ...(cookies && { cookies }) };
}

/** Builds an answer with a body. */
export function shown(description: string, schema: z.ZodType): AuthResponse {
  return { status: 200, description, schema };
}

/** The cookies that carry a session. */
export const ofSession: readonly string[] = [cookieNames.accessToken, cookieNames.refreshToken];

/** Builds the schema of a user as clients see one; the app's public fields may be absent. */
export function createUserSchema({ userFields = {} }: AuthFeatures): z.ZodType {
  const declared = Object.entries(userFields).flatMap(([name, { schema, public: isPublic = true }]) =>
    isPublic ? [[name, schema.optional()] as const] : [],
  );
  return z.strictObject({
    ...Object.fromEntries(declared),
    id: z.string(),
    email: z.string().meta({ examples: ['ada@example.com'] }),
    emailVerified: z.boolean(),
    role: z.string().meta({ examples: ['user'] }),
    tenantId: z.string().nullable(),
    createdAt: moment,
    updatedAt: moment,
  });
}

/** Builds the schema of any kind of sign-in. `expiresAt` is when the JWT expires. */
export function signedIn(user: z.ZodType, more: Readonly<Record<string, z.ZodType>> = {}): z.ZodType {
  return z.strictObject({ user, expiresAt: moment.describe('When the JWT expires; refresh before.'), ...more });
}
