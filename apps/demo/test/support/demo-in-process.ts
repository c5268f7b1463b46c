import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { parseEnv } from '../../src/env.ts';
import { startDemo } from '../../src/start-demo.ts';
import { makeEcPair } from './key-pairs.ts';

const { privateKey, publicKey } = makeEcPair();

/**
 * Starts a demo in the process of the tests, on a database in memory, and returns where it answers: quick, for what
 * neither a second process nor the end of one has a part in. It does not outlive the test.
 */
export async function startHere(variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const keys = { JWT_ALGORITHM: 'ES256', JWT_PRIVATE_KEY: privateKey, JWT_PUBLIC_KEY: publicKey };
  const secret = { ENCRYPTION_KEY: crypto.randomUUID() };
  const env = parseEnv({ PORT: '0', DATABASE_URL: 'memory:', SEED: 'false', ...keys, ...secret, ...variables });
  const demo = await startDemo(env, pino({ level: 'silent' }));
  onTestFinished(() => demo.stop());
  return `http://localhost:${demo.port}`;
}
