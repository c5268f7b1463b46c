import { ConfigurationError } from '@x/errors';
import { z } from 'zod';
import { reservedUserFields } from '../user/user-fields.ts';
import type { AuthConfig } from './auth-config.ts';
import type { AuthSettings } from './auth-settings.ts';
import { duration } from './duration.ts';

/**
 * Parses the settings once, at start.
 *
 * @throws ConfigurationError with every problem found, none of which prints a value
 */
export function parseAuthSettings(settings: AuthSettings): AuthConfig {
  const parsed = schema.safeParse(settings, { reportInput: false });
  if (!parsed.success) throw new ConfigurationError(parsed.error.issues.map(describeIssue));
  const problems = rules.flatMap((rule) => rule(parsed.data));
  if (problems.length > 0) throw new ConfigurationError(problems);
  const origin = parsed.data.baseUrl === undefined ? 'http://localhost' : new URL(parsed.data.baseUrl).origin;
  return Object.freeze({
    ...parsed.data,
    issuer: parsed.data.issuer ?? origin,
    audience: parsed.data.audience ?? origin,
  });
}

type ParsedSettings = Omit<AuthConfig, 'issuer' | 'audience'> & {
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
};

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const secret = z.string().min(1, 'must not be empty');

/** Durations that end up in a `Max-Age` or in a claim, which count whole seconds. */
const wholeSeconds = duration.refine((milliseconds) => milliseconds % 1000 === 0, 'must be whole seconds');

/** Defaults, and the rules that concern one setting. */
const schema = z.strictObject({
  production: z.boolean().default(true),
  baseUrl: url.optional(),
  trustedOrigins: z
    .array(z.string().refine(isOrigin, 'must be an http or https origin: scheme, host and port only'))
    .default([]),
  session: z.strictObject({
    strategy: z.literal('jwt'),
    ttl: wholeSeconds.default(60_000),
    refreshTtl: wholeSeconds.default(7 * 86_400_000),
    algorithm: z.enum(['RS256', 'ES256']).default('RS256'),
    cookie: z
      .strictObject({
        secure: z.boolean().default(true),
        sameSite: z.enum(['strict', 'lax', 'none']).default('lax'),
      })
      .prefault({}),
  }),
  emailPassword: z
    .strictObject({
      password: z
        .strictObject({
          minLength: z.int().min(8).max(128).default(8),
          requireUppercase: z.boolean().default(false),
          requireNumbers: z.boolean().default(false),
          blocklist: z.array(z.string()).optional(),
        })
        .prefault({}),
    })
    .prefault({}),
  privateKey: z.string().optional(),
  publicKey: z.string().optional(),
  verificationKeys: z.array(z.string()).default([]),
  secrets: z.array(secret).min(1, 'must hold at least one secret').optional(),
  issuer: z.string().min(1).optional(),
  audience: z.string().min(1).optional(),
  developmentKeysPath: z.string().min(1).default('.auth'),
  userFields: z
    .record(
      z.string().regex(/^[a-z][A-Za-z0-9]{0,63}$/, 'must be a camelCase name'),
      z.strictObject({ schema: z.instanceof(z.ZodType), public: z.boolean().default(true) }),
    )
    .default({}),
});

type Rule = (settings: ParsedSettings) => readonly string[];

const rules: readonly Rule[] = [
  ({ production, baseUrl }) => (production && baseUrl === undefined ? ['baseUrl: is required in production'] : []),
  ({ production, privateKey, publicKey }) => (production ? missingKeys({ privateKey, publicKey }) : []),
  ({ privateKey, publicKey, production }) =>
    !production && (privateKey === undefined) !== (publicKey === undefined)
      ? ['privateKey, publicKey: give both, or none to have them generated']
      : [],
  ({ production, session }) =>
    production && !session.cookie.secure ? ['session.cookie.secure: can not be false in production'] : [],
  ({ session: { cookie } }) =>
    cookie.sameSite === 'none' && !cookie.secure ? ["session.cookie.sameSite: 'none' needs secure cookies"] : [],
  ({ session }) => (session.ttl > session.refreshTtl ? ['session.ttl: can not be longer than session.refreshTtl'] : []),
  ({ userFields }) =>
    Object.keys(userFields)
      .filter((name) => reservedUserFields.has(name))
      .map((name) => `userFields.${name}: the name is reserved`),
];

function missingKeys(keys: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(keys)
    .filter(([, pem]) => pem === undefined || pem.trim() === '')
    .map(([name]) => `${name}: a PEM is required in production`);
}

function describeIssue(issue: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  return `${issue.path.map(String).join('.') || 'options'}: ${issue.message}`;
}

function isOrigin(value: string): boolean {
  return /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(value) && URL.canParse(value);
}
