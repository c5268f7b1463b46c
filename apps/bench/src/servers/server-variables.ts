import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** With what a token is signed. */
export type Algorithm = 'RS256' | 'ES256';

/** The origin that both sides take for their own. */
export const ownOrigin = 'https://bench.example';

/** Returns the environment that a floor and the demo are started with, of which a floor reads what it needs. */
export function serverVariables(options: {
  readonly algorithm: Algorithm;
  readonly databaseUrl: string;
}): Readonly<Record<string, string>> {
  const { algorithm, databaseUrl } = options;
  const { privateKey, publicKey } = generatePemPair(algorithm);
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    BASE_URL: ownOrigin,
    DATABASE_URL: databaseUrl,
    JWT_ALGORITHM: algorithm,
    JWT_PRIVATE_KEY: privateKey,
    JWT_PUBLIC_KEY: publicKey,
    ENCRYPTION_KEY: randomBytes(32).toString('base64url'),
    // Longer than any row takes, so that no cookie has to be renewed under load.
    SESSION_TTL: '1h',
    SIGNIN_RATE_LIMIT: '1000000/1m',
    TRUST_PROXY: '1',
    // Nothing is measured that would send a mail.
    EMAIL_VERIFICATION: 'false',
    PASSWORD_RESET: 'false',
    LOG_LEVEL: 'info',
  };
}

function generatePemPair(algorithm: Algorithm): { readonly privateKey: string; readonly publicKey: string } {
  const encodings = {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  } as const;
  return algorithm === 'RS256'
    ? generateKeyPairSync('rsa', { modulusLength: 2048, ...encodings })
    : generateKeyPairSync('ec', { namedCurve: 'P-256', ...encodings });
}
