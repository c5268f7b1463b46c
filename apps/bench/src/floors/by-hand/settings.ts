import { createPrivateKey, createPublicKey, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** The settings of the environment; the same variables as the demo's. */
export interface Settings {
  readonly port: number;
  readonly databaseUrl: string;
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly refreshKey: KeyObject;
  /** How many sign-ins to one account are allowed in a minute. */
  readonly maxSignIns: number;
}

/** Reads the environment. */
export function readSettings(): Settings {
  return {
    port: Number(read('PORT')),
    databaseUrl: read('DATABASE_URL'),
    algorithm: read('JWT_ALGORITHM'),
    privateKey: createPrivateKey(read('JWT_PRIVATE_KEY')),
    publicKey: createPublicKey(read('JWT_PUBLIC_KEY')),
    refreshKey: createSecretKey(Buffer.from(hkdfSync('sha256', read('ENCRYPTION_KEY'), '', 'refresh', 32))),
    maxSignIns: Number.parseInt(read('SIGNIN_RATE_LIMIT'), 10),
  };
}

/** How long what is handed out is good. */
export const ttlSeconds = { accessToken: 3600, session: 604_800 } as const;

function read(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new TypeError(`${name} is missing.`);
  return value;
}
