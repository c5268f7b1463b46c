import { pino } from 'pino';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { parseEnv } from '../../src/env.ts';
import { type RunningDemo, startDemo } from '../../src/start-demo.ts';
import { makeEcPair } from './key-pairs.ts';

const { privateKey, publicKey } = makeEcPair();

/**
 * Starts a demo in the process of the tests, on a database in memory, and returns where it answers: quick, for what
 * neither a second process nor the end of one has a part in. It does not outlive the test.
 */
export async function startHere(variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const demo = await start(variables);
  onTestFinished(() => demo.stop());
  return `http://localhost:${demo.port}`;
}

/** Starts one for all tests of a file, which is found once they run. */
export function useDemoHere(variables: Readonly<Record<string, string>> = {}): () => string {
  let started: RunningDemo | undefined;
  beforeAll(async () => {
    started = await start(variables);
  });
  afterAll(() => started?.stop());
  return () => `http://localhost:${started?.port}`;
}

function start(variables: Readonly<Record<string, string>>): Promise<RunningDemo> {
  const keys = { JWT_ALGORITHM: 'ES256', JWT_PRIVATE_KEY: privateKey, JWT_PUBLIC_KEY: publicKey };
  const secret = { ENCRYPTION_KEY: crypto.randomUUID() };
  const env = parseEnv({
    PORT: '0',
    DATABASE_URL: 'memory:',
    SEED: 'false',
    ...(variables['NODE_ENV'] !== 'production' && { TEST_PATIENCE_MS: '60000' }),
    ...keys,
    ...secret,
    ...variables,
  });
  return startDemo(env, pino({ level: 'silent' }));
}
