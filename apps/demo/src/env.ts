import { ConfigurationError } from '@x/errors';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** What the process environment says, parsed. */
export interface Env {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: DatabaseUrl;
  readonly baseUrl: string;
  readonly privateKey?: string | undefined;
  readonly publicKey?: string | undefined;
  readonly algorithm: 'RS256' | 'ES256';
  /** The current key first; none in development where they are generated. */
  readonly encryptionKeys: readonly string[];
  readonly sessionTtl: Duration;
  readonly refreshTtl: Duration;
  readonly cookieSecure: boolean;
  readonly logLevel: string;
}

/** Which database is meant. */
export type DatabaseUrl = { readonly kind: 'memory' } | { readonly kind: 'file'; readonly path: string };

type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/**
 * Parses the environment; a variable that is set to nothing counts as unset.
 *
 * @throws ConfigurationError with every problem found, by the name of its variable
 */
export function parseEnv(variables: Readonly<Record<string, string | undefined>>): Env {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const production = given['NODE_ENV'] === 'production';
  const missing = production ? requiredInProduction.filter((name) => given[name] === undefined) : [];
  const parsed = schema.safeParse(given, { reportInput: false });
  const problems = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...missing.map((name) => `${name}: is required in production`),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems);
  const env = parsed.data;
  return {
    production,
    port: env.PORT,
    host: env.HOST,
    databaseUrl: env.DATABASE_URL,
    baseUrl: env.BASE_URL ?? `http://localhost:${env.PORT}`,
    privateKey: env.JWT_PRIVATE_KEY,
    publicKey: env.JWT_PUBLIC_KEY,
    algorithm: env.JWT_ALGORITHM,
    encryptionKeys: env.ENCRYPTION_KEY ?? [],
    sessionTtl: env.SESSION_TTL,
    refreshTtl: env.REFRESH_TTL,
    cookieSecure: env.COOKIE_SECURE ?? production,
    logLevel: env.LOG_LEVEL,
  };
}

const requiredInProduction = ['BASE_URL', 'ENCRYPTION_KEY', 'JWT_PRIVATE_KEY', 'JWT_PUBLIC_KEY'] as const;

const port = z
  .string()
  .regex(/^\d{1,5}$/, { error: 'must be a port: 0 to 65535', abort: true })
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port: 0 to 65535');

const duration = z.custom<Duration>(
  (value) => typeof value === 'string' && /^\d+(ms|s|m|h|d)$/.test(value),
  'must be a duration such as 60s, 15m, 24h or 7d',
);

const databaseUrl = z.string().transform((url, context): DatabaseUrl => {
  if (url === 'memory:') return { kind: 'memory' };
  if (url.startsWith('file:') && url.length > 'file:'.length) return { kind: 'file', path: url.slice('file:'.length) };
  context.addIssue({ code: 'custom', message: 'must be memory: or file:<path>' });
  return z.NEVER;
});

/** A PEM, or `file:` and the path of one. */
const pem = z.string().transform((value, context) => {
  if (!value.startsWith('file:')) return value;
  try {
    return readFileSync(value.slice('file:'.length), 'utf8');
  } catch {
    context.addIssue({ code: 'custom', message: 'names a file that can not be read' });
    return z.NEVER;
  }
});

const schema = z.object({
  NODE_ENV: z.enum(['development', 'production']).default('development'),
  PORT: port.prefault('3000'),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: databaseUrl.prefault('file:.data/demo.db'),
  BASE_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  JWT_PRIVATE_KEY: pem.optional(),
  JWT_PUBLIC_KEY: pem.optional(),
  JWT_ALGORITHM: z.enum(['RS256', 'ES256']).default('RS256'),
  ENCRYPTION_KEY: z
    .string()
    .transform((list) => list.split(',').map((key) => key.trim()))
    .refine((keys) => keys.every((key) => key !== ''), 'must be a comma list without gaps')
    .optional(),
  SESSION_TTL: duration.default('60s'),
  REFRESH_TTL: duration.default('7d'),
  COOKIE_SECURE: z.stringbool('must be true or false').optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});
