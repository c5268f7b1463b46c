import { ConfigurationError } from '@x/errors';
import type { TrustProxy } from '@x/http';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { databaseUrl, type DatabaseUrl } from './variables/database-url.ts';
import { duration, type DurationText } from './variables/duration.ts';
import { emailAddress } from './variables/email-address.ts';
import { type Mailbox, mailbox } from './variables/mailbox.ts';
import {
  findHalfProviders,
  oauthVariables,
  type ProviderName,
  type ProviderVariables,
  toProviders,
} from './variables/oauth.ts';
import { pem, pemList } from './variables/pem.ts';
import { rateLimit, type RateLimit } from './variables/rate-limit.ts';
import { type SmtpServer, smtpUrl } from './variables/smtp-url.ts';
import { trustProxy } from './variables/trust-proxy.ts';

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

/**
 * Parses the environment; a variable that is set to an empty text counts as unset.
 *
 * @throws ConfigurationError with every problem found, by the name of its variable
 */
export function parseEnv(variables: Readonly<Record<string, string | undefined>>): Env {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given, { reportInput: false });
  const problems = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...findHalfProviders(given),
    ...(given['NODE_ENV'] === 'production' ? findProductionProblems(given) : []),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems);
  return toEnv(parsed.data, toProviders(given));
}

const requiredInProduction = ['BASE_URL', 'ENCRYPTION_KEY', 'JWT_PRIVATE_KEY', 'JWT_PUBLIC_KEY'] as const;
const developmentOnly = ['RATE_LIMIT_FACTOR'] as const;
const offInProduction = ['OAUTH_MOCK', 'SEED'] as const;

function findProductionProblems(given: Readonly<Record<string, string | undefined>>): readonly string[] {
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

const isOn = z.stringbool('must be true or false');

const featureSwitch = isOn.default(true);

const schema = z.object({
  NODE_ENV: z.enum(['development', 'production']).default('development'),
  PORT: port.prefault('3000'),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: databaseUrl.prefault('file:.data/demo.db'),
  BASE_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
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
  ...oauthVariables,
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailbox.optional(),
  ADMIN_EMAIL: emailAddress.optional(),
  SIGNIN_RATE_LIMIT: rateLimit.optional(),
  TRUST_PROXY: trustProxy.default(0),
  RATE_LIMIT_FACTOR: factor.default(1),
  PAGE_FOLDER: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});
