import { ConfigurationError } from '@x/errors';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { parseEnv } from '../../src/env.ts';
import { startDemo as startInProcess } from '../../src/start-demo.ts';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startDemo, startInVain } from '../support/demo-process.ts';
import { makeEcPair, makeRsaPair, type PemPair, secretLinesOf } from '../support/key-pairs.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const baseUrl = 'https://tracker.example';
const encryptionKey = 'b6e0c1f4a7d9482e9c53-not-a-real-key';
const rsa = makeRsaPair();
const p256 = makeEcPair();

type Refusal = [name: string, named: RegExp, variables: Record<string, string>];

const refusals: readonly Refusal[] = [
  ['without a private key', /JWT_PRIVATE_KEY/, { JWT_PRIVATE_KEY: '' }],
  ['without a secret', /ENCRYPTION_KEY/, { ENCRYPTION_KEY: '' }],
  ['with a gap in the list of secrets', /ENCRYPTION_KEY/, { ENCRYPTION_KEY: `${encryptionKey},,` }],
  ['with a pair of two halves', /JWT_PRIVATE_KEY and JWT_PUBLIC_KEY/, { JWT_PUBLIC_KEY: makeRsaPair().publicKey }],
  ['with RSA keys for ES256', /JWT_PRIVATE_KEY.*ES256.*rsa/, { JWT_ALGORITHM: 'ES256' }],
  ['with P-256 keys for RS256', /JWT_PRIVATE_KEY.*RS256.*ec/, pemVariables(p256)],
  ['with a public key of another type', /JWT_PUBLIC_KEY.*RS256.*ec/, { JWT_PUBLIC_KEY: p256.publicKey }],
  ['with an RSA key of 1024 bits', /JWT_PRIVATE_KEY.*1024/, pemVariables(makeRsaPair(1024))],
  ['with P-384 keys', /JWT_PRIVATE_KEY.*P-256/, { ...pemVariables(makeEcPair('P-384')), JWT_ALGORITHM: 'ES256' }],
  ['with a damaged PEM', /JWT_PRIVATE_KEY/, { JWT_PRIVATE_KEY: damage(rsa.privateKey) }],
  ['with no PEM at all', /JWT_PUBLIC_KEY/, { JWT_PUBLIC_KEY: 'correct horse battery staple' }],
  ['with the private key in the place of the public one', /JWT_PUBLIC_KEY/, { JWT_PUBLIC_KEY: rsa.privateKey }],
  ['with an encrypted private key', /JWT_PRIVATE_KEY.*encrypted/, { JWT_PRIVATE_KEY: encryptedKey() }],
  ['with the path of a PEM that is not there', /JWT_PRIVATE_KEY/, { JWT_PRIVATE_KEY: 'file:no-such-key.pem' }],
  ['with cookies that are not secure', /secure/i, { COOKIE_SECURE: 'false' }],
  ['with an algorithm that is none of ours', /JWT_ALGORITHM/, { JWT_ALGORITHM: 'HS256' }],
  ['with a factor for rate limits, even one', /RATE_LIMIT_FACTOR/, { RATE_LIMIT_FACTOR: '1' }],
  ['with an older key of another type', /JWT_VERIFICATION_KEYS\[0\].*ec/, { JWT_VERIFICATION_KEYS: p256.publicKey }],
  ['with a private key among the older ones', /JWT_VERIFICATION_KEYS\[1\]/, { JWT_VERIFICATION_KEYS: bothHalves(rsa) }],
  ['with two bad keys', /JWT_PRIVATE_KEY.*\n.*JWT_PUBLIC_KEY/, { JWT_PRIVATE_KEY: 'x', JWT_PUBLIC_KEY: 'x' }],
];

/** The process adds an exit code and what it prints to what is thrown; a refusal of each kind shows that. */
const refusedByProcess = new Set([
  'with a pair of two halves',
  'with a damaged PEM',
  'with a factor for rate limits, even one',
]);

describe('production refuses to start', () => {
  it('as a process without what it needs, naming all of it', async () => {
    const { code, errors } = await startInVain({ folder: makeFolder(), variables: { NODE_ENV: 'production' } });
    expect(code).toBe(1);
    for (const name of ['BASE_URL', 'JWT_PRIVATE_KEY', 'JWT_PUBLIC_KEY', 'ENCRYPTION_KEY']) {
      expect(errors).toContain(`${name}: is required in production`);
    }
  });

  it.each(refusals.filter(([name]) => refusedByProcess.has(name)))(
    'as a process %s',
    async (_name, named, variables) => {
      const given = { ...goodVariables(rsa), ...variables };
      const refused = await startInVain({ folder: makeFolder(), variables: given });
      expect(refused.code).toBe(1);
      expect(refused.errors).toMatch(named);
      expect(refused.errors).not.toMatch(/^ +at /m);
      expect(secretsOf(given).filter((secret) => refused.output.includes(secret))).toEqual([]);
    },
  );

  it.each(refusals)('%s', async (_name, named, variables) => {
    const given = { ...goodVariables(rsa), ...variables };
    const { error, output } = await startInProcessInVain(given);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(named);
    expect(error.message).not.toMatch(/^ +at /m);
    expect(secretsOf(given).filter((secret) => `${output}${error.message}`.includes(secret))).toEqual([]);
  });

  it('starts with the variables that the refusals change', async () => {
    await expect(startInProcessInVain(goodVariables(rsa))).rejects.toThrow('The demo started.');
  });
});

/** Does in this process what main.ts does, with a database that leaves nothing behind. */
async function startInProcessInVain(given: Record<string, string>): Promise<{ error: Error; output: string }> {
  let output = '';
  const log = pino({ level: 'trace' }, { write: (line) => void (output += line) });
  const starting = Promise.resolve({ ...given, PORT: '0', DATABASE_URL: 'memory:' })
    .then(parseEnv)
    .then((env) => startInProcess(env, log));
  const outcome = await starting.catch((error: unknown) => error);
  if (outcome instanceof Error) return { error: outcome, output };
  await (await starting).stop();
  throw new TypeError('The demo started.');
}

it.each<[algorithm: string, how: string, pair: PemPair, write: (pair: PemPair, folder: string) => PemPair]>([
  ['RS256', 'as text', rsa, (pair) => pair],
  ['ES256', 'as text', p256, (pair) => pair],
  ['RS256', 'as files', rsa, writeFiles],
  ['ES256', 'as files', p256, writeFiles],
])('starts in production with %s keys given %s', async (algorithm, _how, pair, write) => {
  const folder = makeFolder();
  const given = { ...goodVariables(pair), ...pemVariables(write(pair, folder)), JWT_ALGORITHM: algorithm };
  const demo = await startDemo({ folder, variables: { ...given, LOG_LEVEL: 'debug' } });
  const browser = new Browser(demo.origin, baseUrl);

  const signedUp = await browser.post('/api/auth/signup', newAccount());
  expect(signedUp.status).toBe(201);
  expect([...browser.cookies.keys()]).toEqual(['app.sid', 'app.ref']);
  for (const cookie of signedUp.headers.getSetCookie()) expect(cookie).toMatch(/; Secure(;|$)/);
  expect(signedUp.headers.get('strict-transport-security')).toContain('max-age=31536000');
  expect((await browser.get('/api/auth/.well-known/jwks.json')).body.keys).toMatchObject([{ alg: algorithm }]);
  expect(existsSync(join(folder, '.data/keys'))).toBe(false);

  const clock = await browser.post('/dev/clock', { advanceSeconds: 1 });
  expect([clock.status, clock.body.error.code]).toEqual([404, 'NOT_FOUND']);
  const outbox = await browser.get('/dev/outbox');
  expect([outbox.status, outbox.body.error.code]).toEqual([404, 'NOT_FOUND']);
  const fromLocalhost = await new Browser(demo.origin).post('/api/auth/signin', newAccount());
  expect([fromLocalhost.status, fromLocalhost.body.error.code]).toEqual([403, 'CSRF_FAILED']);

  expect(await demo.stop()).toEqual({ code: 0, signal: null });
  const lines = demo.output().trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), msg: expect.any(String) });
  expect(secretsOf(goodVariables(pair)).filter((secret) => demo.output().includes(secret))).toEqual([]);
});

/** Writes a pair into a folder; returns what names the files, one relative to the folder. */
function writeFiles({ privateKey, publicKey }: PemPair, folder: string): PemPair {
  writeFileSync(join(folder, 'private.pem'), privateKey);
  writeFileSync(join(folder, 'public.pem'), publicKey);
  return { privateKey: 'file:private.pem', publicKey: `file:${join(folder, 'public.pem')}` };
}

function goodVariables(pair: PemPair): Record<string, string> {
  const needed = { NODE_ENV: 'production', BASE_URL: baseUrl, ENCRYPTION_KEY: encryptionKey };
  return { ...needed, ...pemVariables(pair) };
}

function pemVariables({ privateKey, publicKey }: PemPair): Record<string, string> {
  return { JWT_PRIVATE_KEY: privateKey, JWT_PUBLIC_KEY: publicKey };
}

/** The secret and the lines of the keys, public ones too: a start has no reason to print any. */
function secretsOf({ ENCRYPTION_KEY, JWT_PRIVATE_KEY = '', JWT_PUBLIC_KEY = '' }: Record<string, string>): string[] {
  const lines = [JWT_PRIVATE_KEY, JWT_PUBLIC_KEY].flatMap(secretLinesOf);
  return ENCRYPTION_KEY ? [encryptionKey, ...lines] : [...lines];
}

function bothHalves({ privateKey, publicKey }: PemPair): string {
  return publicKey + privateKey;
}

function damage(pem: string): string {
  const lines = pem.split('\n');
  return lines.toSpliced(3, lines.length - 6).join('\n');
}

function encryptedKey(): string {
  return makeRsaPair(2048, 'correct horse battery staple').privateKey;
}
