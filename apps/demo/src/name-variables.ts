import { ConfigurationError } from '@x/errors';
import { providerVariables } from './variables/oauth.ts';

/** The variables that the libraries' settings come from. */
const variables: Readonly<Record<string, string>> = {
  baseUrl: 'BASE_URL',
  privateKey: 'JWT_PRIVATE_KEY',
  publicKey: 'JWT_PUBLIC_KEY',
  verificationKeys: 'JWT_VERIFICATION_KEYS',
  secrets: 'ENCRYPTION_KEY',
  oauthEncryptionKey: 'ENCRYPTION_KEY',
  trustProxy: 'TRUST_PROXY',
  ...Object.fromEntries(providerVariables.map(([variable, setting]) => [setting, variable])),
  'session.algorithm': 'JWT_ALGORITHM',
  'session.ttl': 'SESSION_TTL',
  'session.refreshTtl': 'REFRESH_TTL',
  'session.refreshGrace': 'REFRESH_GRACE',
  'session.cookie.secure': 'COOKIE_SECURE',
  'emailPassword.rateLimit.window': 'SIGNIN_RATE_LIMIT',
  'emailPassword.rateLimit.maxAttempts': 'SIGNIN_RATE_LIMIT',
};

/** Replaces the settings named in a library's error by the demo's variables, which operators know. */
export function nameVariables(error: unknown): unknown {
  if (!(error instanceof ConfigurationError)) return error;
  return new ConfigurationError(error.problems.map(nameVariablesIn), { cause: error });
}

function nameVariablesIn(problem: string): string {
  return problem.replace(/[\w.]+/g, (word) => (Object.hasOwn(variables, word) ? (variables[word] ?? word) : word));
}
