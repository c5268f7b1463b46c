import {
  ConfigurationError,
  describeUnknownOption,
  findUnknownOptions,
  isAsyncSchema,
  isObject,
  type StandardSchema,
} from '@x/errors';
import { isAddressRange } from '@x/http/address';
import { z } from 'zod';
import type { EnabledVerification } from '../email/email.ts';
import type { SendToken } from '../email/mail.ts';
import type { EnabledReset } from '../password/password.ts';
import type { CheckPassword } from '../password/policy.ts';
import { duration } from '../duration.ts';
import { defaultCookiePrefix, isHostPrefix } from '../session/cookies.ts';
import type { Tenancy } from '../tenant/tenant.ts';
import { type AuthConfig, findConflicts, type ParsedSettings } from './auth-config.ts';
import { declareFields } from '../user/declared-fields.ts';
import type { AuthSettings } from './auth-settings.ts';
import { limitSettings } from './limit-settings.ts';
import { findUnknownProviderSettings, isRedirectSetting, providers } from './oauth-settings.ts';

/**
 * Parses the settings once, at the start.
 *
 * @param others - has the names of the options that are given together with the settings, and are not parsed here
 * @throws ConfigurationError with every problem found, unknown settings included; none contains a value
 */
export function parseAuthSettings<Options extends AuthSettings>(
  settings: Options,
  others?: { readonly [Name in Exclude<keyof Options, keyof AuthSettings>]-?: unknown },
): AuthConfig {
  const parsed = schema.safeParse(settings, { reportInput: false, error: nameNearest });
  const { providers: listed } = settings;
  const problems = [
    ...findUnknownOptions<AuthSettings>(settings, { ...schema.shape, ...others }),
    ...(Array.isArray(listed) ? listed.flatMap(findUnknownProviderSettings) : []),
    ...(parsed.error?.issues ?? []).flatMap(describeIssue),
    ...findConflicts(validSettings(settings)),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems);
  const { session, basePath, baseUrl = 'http://localhost' } = parsed.data;
  const widest = isHostPrefix(session.cookie.prefix) ? '/' : basePath;
  const cookie = { ...session.cookie, refreshPath: session.cookie.refreshPath ?? widest };
  return Object.freeze({
    ...parsed.data,
    session: { ...session, cookie },
    issuer: parsed.data.issuer ?? baseUrl,
    audience: parsed.data.audience ?? baseUrl,
  });
}

/** Parses each setting by itself, so that one invalid setting does not hide conflicts between the others. */
function validSettings(settings: AuthSettings): Partial<ParsedSettings> {
  const given: Readonly<Record<string, unknown>> = { ...settings };
  const parsed = Object.entries(schema.shape).map(([name, each]) => [name, each.safeParse(given[name])] as const);
  return Object.fromEntries(parsed.flatMap(([name, { success, data }]) => (success ? [[name, data]] : [])));
}

const secret = z.string().min(1, 'must not be empty');
const secrets = z.array(secret).min(1, 'must contain at least one secret');

const redirectSetting = z
  .string()
  .refine(isRedirectSetting, 'must be a path such as /welcome, or an http or https URL');

/** A path of routes and of cookies, which browsers compare as it is written, once they have resolved its dots. */
const path = z
  .string()
  .regex(
    /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/,
    'must be a path such as /api/auth, without . or .. in it, or a slash at its end',
  );

/** An origin, normalized to the form that browsers send. */
const origin = z
  .string()
  .refine(isOrigin, 'must be an http or https origin, such as https://app.example.com: scheme, host and port only')
  .transform((text) => new URL(text).origin);

const trustProxyMessage = 'must be a number of proxies from 0 to 32, or a list of addresses and CIDR ranges';

const trustProxy = z.union(
  [
    z.int().min(0, trustProxyMessage).max(32, trustProxyMessage),
    z.array(z.string().refine(isAddressRange, 'must be an IP address or a CIDR range')),
  ],
  trustProxyMessage,
);

const fieldSchema = z
  .custom<StandardSchema>(isStandardSchema, {
    error: 'must be a schema of zod, or of another library that implements Standard Schema',
    abort: true,
  })
  .refine((schema) => !isAsyncSchema(schema), 'has to be synchronous: check what takes time in beforeSignUp');

/** A function that the app provides. */
function callback<Callback extends (...given: never[]) => unknown>(): z.ZodType<Callback> {
  return z.custom<Callback>((value) => typeof value === 'function', 'must be a function');
}

/** Other members beside it do not count, and may be misspelt. */
const disabled = z.object({ enabled: z.literal(false) });

/** A feature that is on where its settings are given, unless they say `enabled: false`. */
function feature<Settings extends z.ZodRawShape>(settings: Settings) {
  const enabled = z.strictObject({ enabled: z.literal(true), ...settings });
  const enable = (given: unknown): unknown =>
    isObject(given) && given['enabled'] === undefined ? { ...given, enabled: true } : given;
  return z.preprocess(enable, z.discriminatedUnion('enabled', [disabled, enabled])).default({ enabled: false });
}

/** Durations that end up in a `Max-Age` or in a claim, which count in whole seconds. */
const wholeSeconds = duration.refine((milliseconds) => milliseconds % 1000 === 0, 'must be whole seconds');

/** Defaults, and the rules that concern a single setting. It ignores the options beside the settings. */
const schema = z.object({
  production: z.boolean().default(true),
  baseUrl: origin.optional(),
  basePath: path.default('/api/auth'),
  trustedOrigins: z.array(origin).default([]),
  trustProxy: trustProxy.default(0),
  session: z.strictObject({
    strategy: z.literal('jwt'),
    ttl: wholeSeconds.default(60_000),
    refreshTtl: wholeSeconds.default(7 * 86_400_000),
    refreshGrace: z.literal('until-used').or(duration).default(10_000),
    algorithm: z.enum(['RS256', 'ES256']).default('RS256'),
    cookie: z
      .strictObject({
        secure: z.boolean().default(true),
        sameSite: z.enum(['strict', 'lax', 'none']).default('lax'),
        refreshPath: path.or(z.literal('/')).optional(),
        prefix: z
          .string()
          .regex(
            /^(?:__Host-|__Secure-)?[A-Za-z][\w-]{0,31}$/,
            'must be a letter and up to 31 letters, digits, - or _, after __Host- or __Secure- if you like',
          )
          .default(defaultCookiePrefix),
      })
      .prefault({}),
  }),
  emailPassword: z
    .strictObject({
      rateLimit: z
        .strictObject({ window: duration.optional(), maxAttempts: z.int().min(1).max(1_000_000).optional() })
        .prefault({}),
      password: z
        .strictObject({
          minLength: z.int().min(1).max(256).default(8),
          requireUppercase: z.boolean().default(false),
          requireNumbers: z.boolean().default(false),
          blocklist: z.array(z.string()).optional(),
          check: callback<CheckPassword>().optional(),
        })
        .prefault({}),
    })
    .prefault({}),
  limits: limitSettings.default({}),
  emailVerification: feature({
    tokenTtl: duration.default(86_400_000),
    onSend: callback<SendToken>(),
    genericSignUp: z.boolean().default(false),
    onExistingSignUp: callback<EnabledVerification['onExistingSignUp']>().default(() => () => undefined),
  }),
  passwordReset: feature({
    tokenTtl: duration.default(3_600_000),
    revokeSessionsOnReset: z.boolean().default(true),
    onSend: callback<EnabledReset['onSend']>(),
  }),
  mfa: feature({
    issuer: z
      .string()
      .regex(/^[^:\p{Cc}]{1,100}$/u, 'must be 1 to 100 characters, none of them a colon')
      .optional(),
  }),
  tenant: z.strictObject({ list: callback<Tenancy['list']>(), isMember: callback<Tenancy['isMember']>() }).optional(),
  oauthEncryptionKey: z
    .union([secret, secrets])
    .transform((keys) => [keys].flat())
    .default([]),
  providers: providers.default([]),
  oauthSuccessRedirect: redirectSetting.default('/'),
  oauthErrorRedirect: redirectSetting.default('/auth/error'),
  mfaRedirect: redirectSetting.default('/mfa'),
  privateKey: z.string().optional(),
  publicKey: z.string().optional(),
  verificationKeys: z.array(z.string()).default([]),
  secrets: secrets.optional(),
  issuer: z.string().min(1).optional(),
  audience: z.string().min(1).optional(),
  developmentKeysPath: z.string().min(1).default('.auth'),
  userFields: z
    .record(
      z.string().regex(/^[a-z][A-Za-z0-9]{0,63}$/, 'must be a camelCase name'),
      z.strictObject({
        schema: fieldSchema,
        public: z.boolean().default(true),
        update: z.boolean().default(false),
        signUp: z.boolean().optional(),
      }),
    )
    .default({})
    .transform(declareFields),
});

/** Words the issue of an object with unknown settings: a line for each. Later, zod no longer says which are known. */
function nameNearest(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return undefined;
  const known = Object.keys(issue.inst.shape);
  const place = (issue.path ?? []).map(String).join('.');
  return issue.keys.map((key) => describeUnknownOption(key, known, place)).join('\n');
}

function describeIssue({ code, path, message }: z.core.$ZodIssue): readonly string[] {
  if (code === 'unrecognized_keys') return message.split('\n');
  return [`${path.map(String).join('.') || 'options'}: ${message}`];
}

/** A schema of ArkType is a function. */
function isStandardSchema(value: unknown): boolean {
  const mayHaveMembers = typeof value === 'object' ? value !== null : typeof value === 'function';
  return mayHaveMembers && '~standard' in (value as object);
}

function isOrigin(value: string): boolean {
  return /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(value) && URL.canParse(value);
}
