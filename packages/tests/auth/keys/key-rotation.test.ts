import { createServer } from '@x/server';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestDatabase, createTestServer, type TestServer } from '../../support/test-server.ts';
import { generateKeys, readToken, signer, encodeToken, type TestKeys } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const secrets = ['a secret that outlives every key pair'];
const keys = {
  ES256: [generateKeys(), generateKeys(), generateKeys()],
  RS256: [generateKeys('rsa'), generateKeys('rsa'), generateKeys('rsa')],
} as const;

/** The kid of a JWT. */
const kidOf = (token: string): unknown => readToken(token).header['kid'];

async function kidsAt({ client }: TestServer): Promise<readonly unknown[]> {
  return (await client().get('/api/auth/.well-known/jwks.json')).body.keys.map(({ kid }) => kid);
}

async function isValidAt({ client }: TestServer, token: string): Promise<boolean> {
  return (await client().get('/api/auth/session', { headers: { cookie: `app.sid=${token}` } })).body.session !== null;
}

describe.each(['ES256', 'RS256'] as const)('a rotation of %s keys', (algorithm) => {
  const [first, second, third] = keys[algorithm];
  const session = { strategy: 'jwt', algorithm } as const;
  /** Returns a function that starts servers on one database, with the signing key and older ones. */
  const onOneDatabase = (): ((signing: TestKeys, ...older: readonly TestKeys[]) => Promise<TestServer>) => {
    const database = createTestDatabase('sqlite');
    return (signing, ...older) => {
      const verificationKeys = older.map(({ pem }) => pem.publicKey);
      return createTestServer({ database, auth: { secrets, session, ...signing.pem, verificationKeys } });
    };
  };

  it('keeps the old JWTs valid until they expire, and the session beyond', async () => {
    const startWith = onOneDatabase();
    const before = await startWith(first);
    const browser = before.client();
    await browser.post('/api/auth/signup', ada);
    const old = browser.cookies.get('app.sid')!;
    before.clock.advance(30_000);

    const after = await startWith(second, first);
    expect(await isValidAt(after, old)).toBe(true);
    const elsewhere = after.client();
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    expect((await elsewhere.post('/api/auth/refresh')).status).toBe(200);
    const fresh = elsewhere.cookies.get('app.sid')!;
    expect(readToken(fresh).payload['sid']).toBe(readToken(old).payload['sid']);
    expect(await kidsAt(after)).toEqual([kidOf(fresh), kidOf(old)]);
    expect(kidOf(fresh)).not.toBe(kidOf(old));

    after.clock.advance(29_999);
    expect([await isValidAt(after, old), await isValidAt(after, fresh)]).toEqual([true, true]);
    after.clock.advance(1);
    expect([await isValidAt(after, old), await isValidAt(after, fresh)]).toEqual([false, true]);
  });

  it('invalidates the JWTs of a key that is no longer listed, however young', async () => {
    const startWith = onOneDatabase();
    const before = await startWith(first);
    const browser = before.client();
    await browser.post('/api/auth/signup', ada);
    const token = browser.cookies.get('app.sid')!;
    const both = await startWith(third, second, first);
    const without = await startWith(third, second);
    expect([await isValidAt(both, token), await isValidAt(without, token)]).toEqual([true, false]);
    expect(await kidsAt(both)).toContain(kidOf(token));
    expect(await kidsAt(without)).not.toContain(kidOf(token));
    const headers = { authorization: `Bearer ${token}` };
    expect(refusalOf(await without.client().get('/api/auth/sessions', { headers }))).toBe('UNAUTHENTICATED');
  });

  it('accepts the JWTs of a key that is announced before it signs', async () => {
    const startWith = onOneDatabase();
    const announced = await startWith(first, second);
    const next = await startWith(second, first);
    const browser = next.client();
    await browser.post('/api/auth/signup', ada);
    const token = browser.cookies.get('app.sid')!;
    expect(await isValidAt(announced, token)).toBe(true);
    expect(await kidsAt(announced)).toEqual((await kidsAt(next)).toReversed());
    // A server that has not switched yet still signs with the key before it.
    const behind = announced.client();
    for (const [name, value] of browser.cookies) behind.cookies.set(name, value);
    await behind.post('/api/auth/refresh');
    expect(kidOf(behind.cookies.get('app.sid')!)).not.toBe(kidOf(token));
    expect(await isValidAt(next, behind.cookies.get('app.sid')!)).toBe(true);
  });

  it('verifies each signature only with the key that its kid names', async () => {
    const startWith = onOneDatabase();
    const before = await startWith(first);
    const after = await startWith(second, first);
    const [one, other] = [before.client(), after.client()];
    await one.post('/api/auth/signup', ada);
    await other.post('/api/auth/signin', ada);
    const [old, fresh] = [one, other].map(({ cookies }) => cookies.get('app.sid')!) as [string, string];
    const parts = readToken(fresh);
    const encode = (kid: unknown, key: TestKeys): string =>
      encodeToken({ header: { ...parts.header, kid }, payload: parts.payload }, signer(key.privateKey));
    expect(await isValidAt(after, encode(kidOf(fresh), second))).toBe(true);
    expect(await isValidAt(after, encode(kidOf(old), first))).toBe(true);
    expect(await isValidAt(after, encode(kidOf(old), second))).toBe(false);
    expect(await isValidAt(after, encode(kidOf(fresh), first))).toBe(false);
    expect(await isValidAt(after, encode(kidOf(fresh), third))).toBe(false);
  });

  it('publishes only public members, and each listed key once', async () => {
    const server = await onOneDatabase()(second, first, second, first);
    const { keys: shown } = (await server.client().get('/api/auth/.well-known/jwks.json')).body;
    expect(shown).toHaveLength(2);
    const members = algorithm === 'ES256' ? ['crv', 'x', 'y'] : ['e', 'n'];
    for (const jwk of shown) {
      expect(Object.keys(jwk).toSorted()).toEqual(['alg', 'kid', 'kty', 'use', ...members].toSorted());
      expect(jwk).toMatchObject({ alg: algorithm, use: 'sig', kid: expect.stringMatching(/^[\w-]{43}$/) });
    }
  });

  it.each(['verificationKeys[0]', 'verificationKeys[1]'])('refuses to start with a bad %s', async (name) => {
    const other = keys[algorithm === 'ES256' ? 'RS256' : 'ES256'][0];
    const bad = [other.pem.publicKey, first.pem.privateKey, generateKeys('P-384').pem.publicKey, '', 'garbage'];
    for (const pem of bad) {
      const verificationKeys = name.includes('0') ? [pem, first.pem.publicKey] : [first.pem.publicKey, pem];
      const started = createServer({
        auth: { baseUrl: 'https://a.example', session, ...second.pem, verificationKeys },
      });
      await expect(started).rejects.toMatchObject({ problems: [expect.stringMatching(startingWith(name))] });
    }
  });
});

function startingWith(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[[\]]/g, String.raw`\$&`)} `);
}

it('refuses verification keys of another algorithm', async () => {
  const session = { strategy: 'jwt', algorithm: 'RS256' } as const;
  const verificationKeys = [keys.ES256[0].pem.publicKey];
  const started = createServer({
    auth: { baseUrl: 'https://a.example', session, ...keys.RS256[0].pem, verificationKeys },
  });
  await expect(started).rejects.toThrow(/verificationKeys\[0\] does not fit RS256/);
});
