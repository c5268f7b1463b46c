import type { Duration, ProviderSettings } from '@x/auth';
import { ConfigurationError } from '@x/errors';
import { createClientAddress, type TrustProxy } from '@x/http';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { emailAddress, isPlainAddress } from './mail/address.ts';

/** The parsed process environment. */
export interface Env {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: DatabaseUrl;
  readonly baseUrl: string;
  readonly privateKey?: string | undefined;
  readonly publicKey?: string | undefined;
  /** Further public keys whose JWTs are accepted. */
  readonly verificationKeys: readonly string[];
  readonly algorithm: 'RS256' | 'ES256';
  /** The current key first; empty in development, where they are generated. */
  readonly encryptionKeys: readonly string[];
  readonly sessionTtl: DurationText;
  readonly refreshTtl: DurationText;
  readonly refreshGrace: DurationText;
  readonly cookieSecure: boolean;
  readonly emailVerification: boolean;
  readonly passwordReset: boolean;
  readonly mfa: boolean;
  /** The providers configured in the environment. */
  readonly providers: Readonly<Partial<Record<ProviderName, ProviderVariables>>>;
  /** Whether a local program stands in for the others. */
  readonly oauthMock: boolean;
  /** Whether a new database starts with accounts with known passwords, and their records. */
  readonly seed: boolean;
  /** The server that sends mails; without it, mails are not sent. */
  readonly smtpServer?: SmtpServer | undefined;
  /** The sender of mails. */
  readonly mailFrom: Mailbox;
  /** In canonical form. */
  readonly adminEmail?: string | undefined;
  /** For sign-ins and sign-ups; the limits of the library if it is not set. */
  readonly signInRateLimit?: RateLimit | undefined;
  readonly trustProxy: TrustProxy;
  /** The factor for every rate limit; 1 in production. */
  readonly rateLimitFactor: number;
  /** The folder of the built page. */
  readonly pageFolder: string;
  readonly logLevel: string;
}

/** Which database is meant. */
export type DatabaseUrl =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** A duration as text, which cannot lack its unit. */
type DurationText = Extract<Duration, string>;

/** How many attempts a window allows. */
interface RateLimit {
  readonly maxAttempts: number;
  readonly window: DurationText;
}

/** An e-mail address, and whose it is. */
export interface Mailbox {
  /** Empty if there is none. */
  readonly name: string;
  readonly address: string;
}

/** A mail server that accepts mails for everybody. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** Whether it speaks TLS from the first byte. */
  readonly secure: boolean;
  readonly credentials?: { readonly user: string; readonly password: string };
}

/** A provider that the demo has a button for. */
export type ProviderName = (typeof providerNames)[number];

/** What the variables say about one provider. */
type ProviderVariables = Omit<ProviderSettings, 'redirectUrl' | 'scopes' | 'timeout'>;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Parses the environment; a variable that is set to an empty text counts as unset.
 *
 * @throws ConfigurationError with every problem found, by the name of its variable
 */
export function parseEnv(variables: Variables): Env {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given, { reportInput: false });
  const problems = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...findIncompleteProviders(given),
    ...(given['NODE_ENV'] === 'production' ? findProductionProblems(given) : []),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems);
  return toEnv(parsed.data, toProviders(given));
}

const requiredInProduction = ['BASE_URL', 'ENCRYPTION_KEY', 'JWT_PRIVATE_KEY', 'JWT_PUBLIC_KEY'] as const;
const developmentOnly = ['RATE_LIMIT_FACTOR'] as const;
const offInProduction = ['OAUTH_MOCK', 'SEED'] as const;

function findProductionProblems(given: Variables): readonly string[] {
  return [
    ...requiredInProduction
      .filter((name) => given[name] === undefined)
      .map((name) => `${name}: is required in production`),
    ...developmentOnly
      .filter((name) => given[name] !== undefined)
      .map((name) => `${name}: cannot be set in production`),
    ...offInProduction
      .filter((name) => isOn.safeParse(given[name]).data)
      .map((name) => `${name}: cannot be on in production`),
  ];
}

function toEnv(variables: z.output<typeof schema>, providers: Env['providers']): Env {
  const production = variables.NODE_ENV === 'production';
  const baseUrl = variables.BASE_URL ?? `http://localhost:${variables.PORT}`;
  return {
    production,
    port: variables.PORT,
    host: variables.HOST,
    databaseUrl: variables.DATABASE_URL,
    baseUrl,
    privateKey: variables.JWT_PRIVATE_KEY,
    publicKey: variables.JWT_PUBLIC_KEY,
    verificationKeys: variables.JWT_VERIFICATION_KEYS,
    algorithm: variables.JWT_ALGORITHM,
    encryptionKeys: variables.ENCRYPTION_KEY ?? [],
    sessionTtl: variables.SESSION_TTL,
    refreshTtl: variables.REFRESH_TTL,
    refreshGrace: variables.REFRESH_GRACE,
    cookieSecure: variables.COOKIE_SECURE ?? production,
    emailVerification: variables.EMAIL_VERIFICATION,
    passwordReset: variables.PASSWORD_RESET,
    mfa: variables.MFA,
    providers,
    seed: variables.SEED ?? !production,
    oauthMock: variables.OAUTH_MOCK ?? (!production && Object.keys(providers).length === 0),
    smtpServer: variables.SMTP_URL,
    mailFrom: variables.MAIL_FROM ?? { name: 'Tracker', address: `no-reply@${new URL(baseUrl).hostname}` },
    adminEmail: variables.ADMIN_EMAIL,
    signInRateLimit: variables.SIGNIN_RATE_LIMIT,
    trustProxy: variables.TRUST_PROXY,
    rateLimitFactor: variables.RATE_LIMIT_FACTOR,
    pageFolder: variables.PAGE_FOLDER ?? builtPage,
    logLevel: variables.LOG_LEVEL,
  };
}

/** The same path from the built program and from this source. */
const builtPage = fileURLToPath(new URL('../dist/page', import.meta.url));

// The providers: five of their seven variables only matter for providers at other addresses than the real ones.

const providerNames = ['google', 'github', 'discord'] as const;

/** What follows a provider's name and an underscore in the variable of each setting. */
const suffixes: Readonly<Record<keyof ProviderVariables, string>> = {
  clientId: 'CLIENT_ID',
  clientSecret: 'CLIENT_SECRET',
  authorizationUrl: 'AUTHORIZATION_URL',
  tokenUrl: 'TOKEN_URL',
  userInfoUrl: 'USERINFO_URL',
  issuer: 'ISSUER',
  jwksUrl: 'JWKS_URL',
};

const providerSettings = Object.keys(suffixes) as readonly (keyof ProviderVariables)[];

function toVariable(provider: ProviderName, setting: keyof ProviderVariables): string {
  return `${provider.toUpperCase()}_${suffixes[setting]}`;
}

/** Finds providers that are configured in part only: setting one variable of a provider enables it. */
function findIncompleteProviders(given: Variables): readonly string[] {
  return providerNames.flatMap((provider) => {
    const names = providerSettings.map((setting) => toVariable(provider, setting));
    const [first] = names.filter((name) => given[name] !== undefined);
    if (first === undefined) return [];
    const missing = names.slice(0, 2).filter((name) => given[name] === undefined);
    return missing.map((name) => `${name}: is required with ${first}`);
  });
}

function toProviders(given: Variables): Env['providers'] {
  const configured = providerNames.filter((provider) => given[toVariable(provider, 'clientId')] !== undefined);
  return Object.fromEntries(
    configured.map((provider) => {
      const values = providerSettings.map((setting) => [setting, given[toVariable(provider, setting)]] as const);
      return [provider, Object.fromEntries(values.filter(([, value]) => value !== undefined))];
    }),
  );
}

// The schema, and before it the values that have a format of their own.

/** Accepts a text that `parse` understands; `parse` returns null for any other. */
function parsed<T>(parse: (text: string) => T | null, message: string): z.ZodType<T, string> {
  return z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

const isOn = z.stringbool('must be true or false');

const featureSwitch = isOn.default(true);

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const port = z
  .string()
  .regex(/^\d{1,5}$/, { error: 'must be a port: 0 to 65535', abort: true })
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port: 0 to 65535');

const factor = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?$/, { error: 'must be a number above 0 and below 1000000', abort: true })
  .transform(Number)
  .refine((number) => number > 0, 'must be a number above 0 and below 1000000');

const databaseUrl = parsed((url): DatabaseUrl | null => {
  if (url === 'memory:') return { kind: 'memory' };
  if (url.startsWith('file:') && url.length > 'file:'.length) return { kind: 'file', path: url.slice('file:'.length) };
  return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url) ? { kind: 'postgres', url } : null;
}, 'must be memory:, file:<path> or postgres://<user>:<password>@<host>/<database>');

/** A PEM, or `file:` and the path of one. The library checks whether it is a key. */
const pem = parsed((value) => {
  if (!value.startsWith('file:')) return value;
  try {
    return readFileSync(value.slice('file:'.length), 'utf8');
  } catch {
    return null;
  }
}, 'names a file that cannot be read');

/** PEMs one after another, or `file:` and the path of them. */
const pemList = pem
  .transform((text) => text.split(/(?=-----BEGIN )/).filter((block) => block.trim() !== ''))
  .refine((blocks) => blocks.length > 0, 'holds no PEM');

/** The spelling of a duration; the setting limits how long it may be. */
const duration = z.custom<DurationText>(
  (value) => typeof value === 'string' && /^\d+(ms|s|m|h|d)$/.test(value),
  'must be a duration such as 60s, 15m, 24h or 7d',
);

const rateLimit = parsed((text): RateLimit | null => {
  const [, max, rest] = /^(\d{1,7})\/(.+)$/.exec(text) ?? [];
  const window = duration.safeParse(rest);
  const maxAttempts = Number(max);
  return window.success && maxAttempts >= 1 && maxAttempts <= 1_000_000 ? { maxAttempts, window: window.data } : null;
}, 'must be 1 to 1000000 attempts and their window, such as 5/15m');

/** A number of proxies, or a comma list of their addresses and CIDR ranges. */
const trustProxy = parsed((text): TrustProxy | null => {
  const value = /^\d+$/.test(text) ? Number(text) : text.split(',').map((range) => range.trim());
  try {
    createClientAddress(value);
    return value;
  } catch {
    return null;
  }
}, 'must be a number of proxies from 0 to 32, or a comma list of addresses and CIDR ranges');

/** `Name <address>`, or an address alone. */
const mailbox = parsed((text): Mailbox | null => {
  const [, name = '', inBrackets] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? [];
  const address = inBrackets ?? text;
  return isPlainAddress(address) ? { name: name.trim(), address } : null;
}, 'must be an address, or a name and an address: Name <user@host>');

const smtpUrl = parsed(
  parseSmtpUrl,
  'must be smtp://<user>:<password>@<host>:<port> or the same with smtps; user and password may be left out',
);

/** Parses `smtp://` (port 587) or `smtps://` (port 465) with a host, and a user and a password or neither. */
function parseSmtpUrl(text: string): SmtpServer | null {
  const url = URL.parse(text);
  if (!url || !/^smtps?:\/\//.test(text)) return null;
  const { hostname, pathname, search, hash } = url;
  const [user, password] = [decode(url.username), decode(url.password)];
  if (hostname === '' || url.port === '0' || !['', '/'].includes(pathname) || search + hash !== '') return null;
  if (user === null || password === null || (user === '') !== (password === '')) return null;
  const secure = url.protocol === 'smtps:';
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(user !== '' && { credentials: { user, password } }),
  };
}

/** Returns null if a percent sign encodes nothing. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

const providerVariables: Readonly<Record<string, z.ZodType<string | undefined>>> = Object.fromEntries(
  providerNames.flatMap((provider) =>
    providerSettings.map((setting) => [
      toVariable(provider, setting),
      (setting === 'clientId' || setting === 'clientSecret' ? z.string() : httpUrl).optional(),
    ]),
  ),
);

const schema = z.object({
  NODE_ENV: z.enum(['development', 'production']).default('development'),
  PORT: port.prefault('3000'),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: databaseUrl.prefault('file:.data/demo.db'),
  BASE_URL: httpUrl.optional(),
  JWT_PRIVATE_KEY: pem.optional(),
  JWT_PUBLIC_KEY: pem.optional(),
  JWT_VERIFICATION_KEYS: pemList.default([]),
  JWT_ALGORITHM: z.enum(['RS256', 'ES256']).default('RS256'),
  ENCRYPTION_KEY: z
    .string()
    .transform((list) => list.split(',').map((key) => key.trim()))
    .refine((keys) => keys.every((key) => key !== ''), 'must be a comma list without gaps')
    .optional(),
  SESSION_TTL: duration.default('60s'),
  REFRESH_TTL: duration.default('7d'),
  REFRESH_GRACE: duration.default('10s'),
  COOKIE_SECURE: isOn.optional(),
  EMAIL_VERIFICATION: featureSwitch,
  PASSWORD_RESET: featureSwitch,
  MFA: featureSwitch,
  OAUTH_MOCK: isOn.optional(),
  SEED: isOn.optional(),
  ...providerVariables,
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailbox.optional(),
  ADMIN_EMAIL: emailAddress.optional(),
  SIGNIN_RATE_LIMIT: rateLimit.optional(),
  TRUST_PROXY: trustProxy.default(0),
  RATE_LIMIT_FACTOR: factor.default(1),
  PAGE_FOLDER: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

// The way back: what a library calls a setting, an operator knows by its variable.

/** Replaces the settings named in a library's error by the demo's variables. */
export function nameVariables(error: unknown): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  return new ConfigurationError(error.problems.map(nameVariablesIn), { cause: error });
}

function nameVariablesIn(problem: string): string {
  return problem.replace(/[\w.]+/g, (word) => (Object.hasOwn(settings, word) ? (settings[word] ?? word) : word));
}

/** The variable of each setting. */
const settings: Readonly<Record<string, string>> = {
  baseUrl: 'BASE_URL',
  privateKey: 'JWT_PRIVATE_KEY',
  publicKey: 'JWT_PUBLIC_KEY',
  verificationKeys: 'JWT_VERIFICATION_KEYS',
  secrets: 'ENCRYPTION_KEY',
  oauthEncryptionKey: 'ENCRYPTION_KEY',
  trustProxy: 'TRUST_PROXY',
  'session.algorithm': 'JWT_ALGORITHM',
  'session.ttl': 'SESSION_TTL',
  'session.refreshTtl': 'REFRESH_TTL',
  'session.refreshGrace': 'REFRESH_GRACE',
  'session.cookie.secure': 'COOKIE_SECURE',
  'emailPassword.rateLimit.window': 'SIGNIN_RATE_LIMIT',
  'emailPassword.rateLimit.maxAttempts': 'SIGNIN_RATE_LIMIT',
  ...Object.fromEntries(
    providerNames.flatMap((provider) =>
      providerSettings.map((setting) => [`providers.${provider}.${setting}`, toVariable(provider, setting)]),
    ),
  ),
};
