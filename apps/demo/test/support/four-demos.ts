import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase } from '@x/test-support/database';
import { afterAll, beforeAll } from 'vitest';
import { newAccount } from './accounts.ts';
import { Browser } from './browser.ts';
import { type DemoProcess, startDemo } from './demo-process.ts';
import { makeEcPair } from './key-pairs.ts';

/** How the four are started. */
export interface FourDemosOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** How far the clock of each is ahead of that of this machine. Default: none is. */
  readonly clockSkewSeconds?: Four<number>;
}

/** Four demos with one Postgres behind them. */
export interface FourDemos {
  readonly databaseUrl: string;
  readonly origins: Four<string>;
  readonly processIds: Four<number>;
  /** The variables that all of them were started with: the database, the keys and the secret. */
  readonly variables: Readonly<Record<string, string>>;
}

/** One for each of four. */
export type Four<T> = readonly [T, T, T, T];

/**
 * Starts four demos for the tests of a file, which go on after one another. They share the database, the key pair and
 * the secret, but no folder: they could be on four machines. The returned function finds them once the tests run.
 */
export function useFourDemos({
  variables = {},
  clockSkewSeconds = [0, 0, 0, 0],
}: FourDemosOptions = {}): () => FourDemos {
  const endings: End[] = [];
  let started: FourDemos | undefined;
  beforeAll(async () => {
    const database = await createPostgresDatabase();
    endings.unshift(() => database.drop());
    const shared = { ...makeSharedVariables(database.url), ...variables };
    const start = (skew: number): Promise<DemoProcess> => startApart(shared, skew, endings);
    const [a, b, c, d] = clockSkewSeconds;
    const demos = await Promise.all([start(a), start(b), start(c), start(d)]);
    const [one, two, three, four] = demos;
    const origins = [one.origin, two.origin, three.origin, four.origin] as const;
    const processIds = [one.processId, two.processId, three.processId, four.processId] as const;
    started = { databaseUrl: database.url, origins, processIds, variables: shared };
  });
  afterAll(async () => {
    for (const end of endings) await end();
  });
  return () => {
    if (!started) throw new TypeError('The demos start with the first test.');
    return started;
  };
}

type End = () => Promise<void> | void;

/** Makes what processes on several machines have in common. */
export function makeSharedVariables(databaseUrl: string): Readonly<Record<string, string>> {
  const { privateKey, publicKey } = makeEcPair();
  const keys = { JWT_ALGORITHM: 'ES256', JWT_PRIVATE_KEY: privateKey, JWT_PUBLIC_KEY: publicKey };
  return { DATABASE_URL: databaseUrl, ENCRYPTION_KEY: crypto.randomUUID(), ...keys };
}

/** Signs a new user up at the first address; returns a browser with that session for each. */
export async function signUpAt([first, ...others]: Four<string>): Promise<Four<Browser>> {
  const browser = new Browser(first);
  const answer = await browser.post('/api/auth/signup', newAccount());
  if (answer.status !== 201) throw new Error(answer.text);
  const [second, third, fourth] = others;
  return [browser, browser.at(second), browser.at(third), browser.at(fourth)];
}

/** Starts one in an empty folder of its own. */
async function startApart(
  variables: Readonly<Record<string, string>>,
  clockSkewSeconds: number,
  endings: End[],
): Promise<DemoProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'x-demo-test-'));
  endings.unshift(() => rmSync(folder, { recursive: true, force: true }));
  return startDemo({ folder, variables, clockSkewSeconds, onStarted: (end) => endings.unshift(end) });
}
