import type { ProviderSettings } from '@x/auth';
import { ConfigurationError } from '@x/errors';
import type { TrustProxy } from '@x/http';
import { emailAddress } from '@x/organizations';
import { isIPv4 } from 'node:net';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  type DatabaseUrl,
  databaseUrl,
  duration,
  type DurationText,
  factor,
  httpUrl,
  isOn,
  type Mailbox,
  mailbox,
  pem,
  pemList,
  pooled,
  port,
  postgresUrl,
  type RateLimit,
  rateLimit,
  type RefreshRateLimit,
  refreshRateLimit,
  type SmtpServer,
  smtpUrl,
  trustProxy,
  webOrigin,
} from './env-formats.ts';

/** The parsed process environment. */
export interface Env {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: DatabaseUrl;
  /** The same Postgres past any pooler, to hear at once of sessions that ended. */
  readonly listenUrl?: string | undefined;
  /** Whether the URL of a Postgres leads to a pooler. */
  readonly pooled: boolean | 'auto';
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
  readonly refreshGrace: DurationText | 'until-used';
  readonly cookieSecure: boolean;
  readonly emailVerification: boolean;
  readonly passwordReset: boolean;
  /** When an invitation gives its role: always after it is accepted, or at once to a proven address. */
  readonly invitations: 'always' | 'at-once';
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
  /** For refreshes; the limit of the library if it is not set. */
  readonly refreshRateLimit?: RefreshRateLimit | undefined;
  readonly trustProxy: TrustProxy;
  /** The factor for every rate limit; 1 in production. */
  readonly rateLimitFactor: number;
  /** How long calls of the database wait, in milliseconds; as long as the stores let them if it is not set. */
  readonly patienceMs?: number | undefined;
  /** The folder of the built page. */
  readonly pageFolder: string;
  readonly logLevel: string;
}

/** A provider that the demo has a button for. */
export type ProviderName = (typeof providerNames)[number];

/** The settings of one provider in the variables. */
type ProviderVariables = Omit<ProviderSettings, 'redirectUrl' | 'scopes' | 'timeout' | 'mapProfile'>;

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
    ...(given['NODE_ENV'] === 'production' ? findProductionProblems(given) : findDevelopmentProblems(given)),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems);
  return toEnv(parsed.data, toProviders(given));
}

const requiredInProduction = ['BASE_URL', 'ENCRYPTION_KEY', 'JWT_PRIVATE_KEY', 'JWT_PUBLIC_KEY'] as const;
const developmentOnly = ['RATE_LIMIT_FACTOR', 'DEV_ANY_HOST', 'TEST_PATIENCE_MS'] as const;
const offInProduction = ['OAUTH_MOCK', 'SEED'] as const;

function findProductionProblems(given: Variables): readonly string[] {
  const baseUrl = webOrigin.safeParse(given['BASE_URL']).data;
  return [
    ...(baseUrl?.startsWith('http:') && !isLoopback(new URL(baseUrl).hostname)
      ? ['BASE_URL: must be https in production, unless it is on localhost']
      : []),
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

/** Development shows every mail and moves the clock for every client that reaches it. */
function findDevelopmentProblems({ HOST = 'localhost', DEV_ANY_HOST }: Variables): readonly string[] {
  if (isLoopback(HOST) || isOn.safeParse(DEV_ANY_HOST).data) return [];
  return ['HOST: must be localhost, 127.0.0.1 or ::1 in development, which shows all mails; DEV_ANY_HOST=1 allows any'];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

function toEnv(variables: z.output<typeof schema>, providers: Env['providers']): Env {
  const production = variables.NODE_ENV === 'production';
  const baseUrl = variables.BASE_URL ?? `http://localhost:${variables.PORT}`;
  const hasProviders = Object.keys(providers).length > 0;
  const oauthMock = variables.OAUTH_MOCK ?? (!production && !hasProviders);
  const isProvable =
    variables.EMAIL_VERIFICATION || variables.PASSWORD_RESET || providers.google !== undefined || oauthMock;
  return {
    production,
    port: variables.PORT,
    host: variables.HOST,
    databaseUrl: variables.DATABASE_URL,
    listenUrl: variables.DATABASE_LISTEN_URL,
    pooled: variables.DATABASE_POOLED,
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
    // Where no address can be proven, nobody would get a role.
    invitations: isProvable ? variables.INVITATIONS : 'always',
    mfa: variables.MFA,
    providers,
    seed: variables.SEED ?? !production,
    oauthMock,
    smtpServer: variables.SMTP_URL,
    mailFrom: variables.MAIL_FROM ?? { name: 'Tracker', address: `no-reply@${new URL(baseUrl).hostname}` },
    adminEmail: variables.ADMIN_EMAIL,
    signInRateLimit: variables.SIGNIN_RATE_LIMIT,
    refreshRateLimit: variables.REFRESH_RATE_LIMIT,
    trustProxy: variables.TRUST_PROXY,
    rateLimitFactor: variables.RATE_LIMIT_FACTOR,
    patienceMs: variables.TEST_PATIENCE_MS,
    pageFolder: variables.PAGE_FOLDER ?? builtPage,
    logLevel: variables.LOG_LEVEL,
  };
}

/** The same path from the built program and from this source. */
const builtPage = fileURLToPath(new URL('../dist/page', import.meta.url));

// The providers: five of their seven variables only matter for providers at other addresses than the real ones.

const providerNames = ['google', 'github', 'discord'] as const;

/** The part after a provider's name and an underscore in the variable of each setting. */
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

// The schema of all variables.

const featureSwitch = isOn.default(true);

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
  DEV_ANY_HOST: isOn.optional(),
  DATABASE_URL: databaseUrl.prefault('file:.data/demo.db'),
  DATABASE_LISTEN_URL: postgresUrl.optional(),
  DATABASE_POOLED: pooled.default('auto'),
  BASE_URL: webOrigin.optional(),
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
  REFRESH_GRACE: z.literal('until-used').or(duration).default('10s'),
  COOKIE_SECURE: isOn.optional(),
  EMAIL_VERIFICATION: featureSwitch,
  PASSWORD_RESET: featureSwitch,
  INVITATIONS: z.enum(['at-once', 'always']).default('at-once'),
  MFA: featureSwitch,
  OAUTH_MOCK: isOn.optional(),
  SEED: isOn.optional(),
  ...providerVariables,
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailbox.optional(),
  ADMIN_EMAIL: emailAddress.optional(),
  SIGNIN_RATE_LIMIT: rateLimit.optional(),
  REFRESH_RATE_LIMIT: refreshRateLimit.optional(),
  TRUST_PROXY: trustProxy.default(0),
  RATE_LIMIT_FACTOR: factor.default(1),
  TEST_PATIENCE_MS: z.coerce.number().int().min(1).optional(),
  PAGE_FOLDER: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

// The way back: an operator knows a setting of a library by its variable.

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
  url: 'DATABASE_URL',
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
  'limits.refresh.window': 'REFRESH_RATE_LIMIT',
  ...Object.fromEntries(
    providerNames.flatMap((provider) =>
      providerSettings.map((setting) => [`providers.${provider}.${setting}`, toVariable(provider, setting)]),
    ),
  ),
};
