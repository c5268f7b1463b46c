import { createServer } from '@x/server';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { ConfigurationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { createTestServer } from '../../support/test-server.ts';
import { generateKeys, readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const [ec, otherEc, p384, rsa] = [generateKeys(), generateKeys(), generateKeys('P-384'), generateKeys('rsa')];

describe('the JWKS', () => {
  it.each([
    ['ES256', ec, ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'], ['crv', 'kty', 'x', 'y']],
    ['RS256', rsa, ['alg', 'e', 'kid', 'kty', 'n', 'use'], ['e', 'kty', 'n']],
  ] as const)(
    'contains the public members of the %s key, named by its thumbprint',
    async (algorithm, { pem, publicKey }, members, hashed) => {
      const { client } = await createTestServer({ auth: { session: { strategy: 'jwt', algorithm }, ...pem } });
      const { status, headers, body } = await client().get('/api/auth/.well-known/jwks.json');
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      const jwk: Readonly<Record<string, unknown>> = { ...publicKey.export({ format: 'jwk' }) };
      // RFC 7638 section 3: the required members in lexicographic order, without white space.
      const input = JSON.stringify(Object.fromEntries(hashed.map((name) => [name, jwk[name]])));
      const kid = createHash('sha256').update(input).digest('base64url');
      expect(body.keys).toEqual([{ ...jwk, alg: algorithm, use: 'sig', kid }]);
      expect(Object.keys(body.keys[0]!).toSorted()).toEqual(members);
    },
  );

  it('contains older keys beside the one that signs, and their JWTs stay valid until they expire', async () => {
    const session = { strategy: 'jwt', algorithm: 'ES256' } as const;
    const before = await createTestServer({ auth: { session, ...ec.pem } });
    const after = await createTestServer({ auth: { session, ...otherEc.pem, verificationKeys: [ec.pem.publicKey] } });
    const without = await createTestServer({ auth: { session, ...otherEc.pem } });
    const browser = before.client();
    await browser.post('/api/auth/signup', ada);
    const token = browser.cookies.get('app.sid')!;
    const isValidAt = async ({ client }: typeof before): Promise<boolean> =>
      (await client().get('/api/auth/session', { headers: { cookie: `app.sid=${token}` } })).body.session !== null;
    expect(await Promise.all([before, after, without].map(isValidAt))).toEqual([true, true, false]);

    const { keys } = (await after.client().get('/api/auth/.well-known/jwks.json')).body;
    const signedUp = after.client();
    await signedUp.post('/api/auth/signup', ada);
    const kids = [signedUp.cookies.get('app.sid')!, token].map((signed) => readToken(signed).header['kid']);
    expect(keys.map(({ kid }) => kid)).toEqual(kids);
    after.clock.advance(60_000);
    expect(await isValidAt(after)).toBe(false);
  });
});

const weakRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const weak = {
  privateKey: String(weakRsa.privateKey.export({ type: 'pkcs8', format: 'pem' })),
  publicKey: String(weakRsa.publicKey.export({ type: 'spki', format: 'pem' })),
};
const encrypted = String(
  ec.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
);

describe('a production server', () => {
  it.each([
    ['no keys', 'ES256', {}],
    ['no public key', 'ES256', { privateKey: ec.pem.privateKey }],
    ['no private key', 'ES256', { publicKey: ec.pem.publicKey }],
    ['blank keys', 'ES256', { privateKey: ' ', publicKey: '\n' }],
    ['keys of two pairs', 'ES256', { ...ec.pem, publicKey: otherEc.pem.publicKey }],
    ['keys swapped', 'ES256', { privateKey: ec.pem.publicKey, publicKey: ec.pem.privateKey }],
    ['the private key twice', 'ES256', { privateKey: ec.pem.privateKey, publicKey: ec.pem.privateKey }],
    ['RSA keys for ES256', 'ES256', rsa.pem],
    ['EC keys for RS256', 'RS256', ec.pem],
    ['P-384 for ES256', 'ES256', p384.pem],
    ['RSA of 1024 bits', 'RS256', weak],
    ['an encrypted key', 'ES256', { ...ec.pem, privateKey: encrypted }],
    ['garbage', 'ES256', { privateKey: 'c2VjcmV0', publicKey: 'garbage' }],
    ['a damaged key', 'ES256', { ...ec.pem, privateKey: ec.pem.privateKey.replace(/[A-Za-z]{8}/g, 'AAAAAAAA') }],
    ['an older key of another type', 'ES256', { ...ec.pem, verificationKeys: [rsa.pem.publicKey] }],
  ] as const)('refuses to start with %s, and prints nothing of a key', async (_what, algorithm, given) => {
    const session = { strategy: 'jwt', algorithm } as const;
    const error: unknown = await createServer({ auth: { baseUrl: 'https://a.example', session, ...given } }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    const { message, stack = '', problems } = error as ConfigurationError;
    expect(problems.length).toBeGreaterThan(0);
    expect(message).toMatch(/privateKey|publicKey|verificationKeys/);
    const secrets = Object.values(given)
      .flat()
      .flatMap((pem) => pem.split('\n').filter((line) => line.length > 7 && !line.startsWith('-')));
    for (const secret of secrets) expect(`${message}${stack}`).not.toContain(secret);
  });

  it('names every bad key at once', async () => {
    const session = { strategy: 'jwt', algorithm: 'ES256' } as const;
    const keys = { ...rsa.pem, publicKey: 'garbage', verificationKeys: [ec.pem.publicKey, p384.pem.publicKey] };
    await expect(createServer({ auth: { baseUrl: 'https://a.example', session, ...keys } })).rejects.toMatchObject({
      problems: [
        expect.stringMatching(/^privateKey does not fit ES256/),
        expect.stringMatching(/^publicKey must be a public key/),
        expect.stringMatching(/^verificationKeys\[1\] does not fit ES256/),
      ],
    });
  });

  it('refuses to start without a base URL', async () => {
    const started = createServer({ auth: { session: { strategy: 'jwt', algorithm: 'ES256' }, ...ec.pem } });
    await expect(started).rejects.toThrow('baseUrl');
  });

  it.each([{ secrets: [] }, { secrets: [''] }, { secrets: ['good', ''] }])(
    'refuses to start with %j',
    async (given) => {
      const session = { strategy: 'jwt', algorithm: 'ES256' } as const;
      const started = createServer({ auth: { baseUrl: 'https://a.example', session, ...ec.pem, ...given } });
      await expect(started).rejects.toThrow('secrets');
    },
  );
});
