import { createHash, createHmac, createPublicKey, randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTestServer, type TestServer } from '../../support/test-server.ts';
import { generateKeys, readToken, signer, encodeToken, type TokenParts } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const keys = { ES256: generateKeys('P-256'), RS256: generateKeys('rsa') } as const;
const algorithms = ['ES256', 'RS256'] as const;

/** A server, the cookies of a new user, and a way to present another JWT in their place. */
interface SignedUp extends TestServer {
  readonly token: string;
  readonly refreshToken: string;
  readonly parts: TokenParts;
  readonly forge: (header: TokenParts['header'], payload?: TokenParts['payload']) => string;
  readonly isValid: (token: string) => Promise<boolean>;
}

async function signUp(
  algorithm: (typeof algorithms)[number],
  claims?: () => Record<string, string>,
): Promise<SignedUp> {
  const session = { strategy: 'jwt', algorithm } as const;
  const server = await createTestServer({ auth: { session, ...keys[algorithm].pem, ...(claims && { claims }) } });
  const browser = server.client();
  await browser.post('/api/auth/signup', ada);
  const [token, refreshToken] = [browser.cookies.get('app.sid')!, browser.cookies.get('app.ref')!];
  const parts = readToken(token);
  return {
    ...server,
    ...{ token, refreshToken, parts },
    forge: (header, payload = {}) =>
      encodeToken(
        { header: { ...parts.header, ...header }, payload: { ...parts.payload, ...payload } },
        signer(keys[algorithm].privateKey),
      ),
    isValid: async (presented) => {
      const cookie = `app.sid=${presented}`;
      const { status, body } = await server.client().get('/api/auth/session', { headers: { cookie } });
      expect(status).toBe(200);
      return body.session !== null;
    },
  };
}

describe.each(algorithms)('a JWT under %s', (algorithm) => {
  it('is valid as issued, and as forged with the right key', async () => {
    const { token, parts, forge, isValid } = await signUp(algorithm);
    expect(parts.header).toEqual({ alg: algorithm, typ: 'JWT', kid: expect.stringMatching(/^[\w-]{43}$/) });
    expect(await isValid(token)).toBe(true);
    expect(await isValid(forge({}))).toBe(true);
  });

  it.each(['none', 'None', 'NONE', 'nOnE', '', 'HS256', 'HS512', 'PS256', 'RS512', 'ES384', 'EdDSA'])(
    'is invalid with alg %j, signed with any key',
    async (alg) => {
      const { parts, forge, isValid } = await signUp(algorithm);
      const forged = { ...parts, header: { ...parts.header, alg } };
      const der = createPublicKey(keys[algorithm].publicKey.export({ type: 'spki', format: 'pem' })).export({
        type: 'spki',
        format: 'der',
      });
      expect(await isValid(forge({ alg }))).toBe(false);
      for (const secret of [keys[algorithm].pem.publicKey, keys[algorithm].pem.publicKey.trim(), der, '', 'secret']) {
        const mac = (input: Buffer): Buffer => createHmac('sha256', secret).update(input).digest();
        expect(await isValid(encodeToken(forged, mac))).toBe(false);
        expect(await isValid(encodeToken(parts, mac))).toBe(false);
      }
      const [head, payload] = encodeToken(forged, () => Buffer.alloc(0)).split('.');
      for (const unsigned of [`${head}.${payload}.`, `${head}.${payload}`]) expect(await isValid(unsigned)).toBe(false);
    },
  );

  it('is invalid with another key, even if the header contains or names that key', async () => {
    const { parts, isValid } = await signUp(algorithm);
    const other = generateKeys(algorithm === 'ES256' ? 'P-256' : 'rsa');
    const jwk = other.publicKey.export({ format: 'jwk' });
    const thumbprint = createHash('sha256').update(JSON.stringify(jwk)).digest('base64url');
    for (const header of [{}, { kid: thumbprint }, { jwk }, { jwk, kid: thumbprint }]) {
      const forged = { ...parts, header: { ...parts.header, ...header } };
      expect(await isValid(encodeToken(forged, signer(other.privateKey)))).toBe(false);
    }
  });

  it('is invalid with header members that point elsewhere, and nothing is fetched', async () => {
    const fetch = vi.spyOn(globalThis, 'fetch');
    onTestFinished(() => fetch.mockRestore());
    const { forge, isValid } = await signUp(algorithm);
    const url = 'https://evil.example/keys';
    const members = {
      jwk: {},
      jku: url,
      x5u: url,
      x5c: [],
      crit: ['exp'],
      b64: false,
      zip: 'DEF',
      cty: 'JWT',
      enc: 'x',
    };
    for (const [name, value] of Object.entries(members)) expect(await isValid(forge({ [name]: value }))).toBe(false);
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each([
    undefined,
    null,
    0,
    '',
    'unknown',
    '../../../../dev/null',
    "' OR '1'='1",
    '__proto__',
    'constructor',
    { toString: 'x' },
    ['x'],
  ])('is invalid with kid %j', async (...[kid]) => {
    const { forge, isValid } = await signUp(algorithm);
    expect(await isValid(forge({ kid }))).toBe(false);
  });

  it('is valid until the very second that it expires, and not before its time', async () => {
    const { token, parts, forge, isValid, clock } = await signUp(algorithm);
    const iat = Number(parts.payload['iat']);
    expect(parts.payload).toMatchObject({ iat: clock.now().getTime() / 1000, exp: iat + 60 });
    for (const seconds of [1, 5]) {
      expect(await isValid(forge({}, { iat: iat + seconds }))).toBe(true);
      expect(await isValid(forge({}, { nbf: iat + seconds }))).toBe(true);
    }
    expect(await isValid(forge({}, { iat: iat + 6 }))).toBe(false);
    expect(await isValid(forge({}, { nbf: iat + 6 }))).toBe(false);
    clock.advance(59_999);
    expect(await isValid(token)).toBe(true);
    clock.advance(1);
    expect(await isValid(token)).toBe(false);
    expect(await isValid(forge({}))).toBe(false);
    clock.advance(-1);
    expect(await isValid(token)).toBe(true);
  });

  it.each([
    ...['exp', 'iat', 'iss', 'aud', 'sub', 'sid', 'jti', 'ver', 'role', 'email'].map((name) => ({ [name]: undefined })),
    ...[{ exp: '9999999999' }, { exp: null }, { exp: Number.MAX_VALUE }, { exp: -1 }, { iat: '0' }, { nbf: 'x' }],
    ...[{ iss: 'http://localhost:3001' }, { iss: 'http://localhost:3000/' }, { iss: ['http://localhost:3000'] }],
    ...[{ aud: 'http://localhost' }, { aud: ['http://localhost:3000', 'x'] }, { aud: null }, { aud: '' }],
    ...[{ sub: 1 }, { sub: '' }, { sid: null }, { ver: '0' }, { role: ['admin'] }, { tenantId: 1 }],
  ])('is invalid with the payload changed by %j', async (change) => {
    const { forge, isValid } = await signUp(algorithm);
    expect(await isValid(forge({}, change))).toBe(false);
  });

  it.each(['jwt', 'at+jwt', 'JWS', '', null, undefined])('is invalid with typ %j', async (...[typ]) => {
    const { forge, isValid } = await signUp(algorithm);
    expect(await isValid(forge({ typ }))).toBe(false);
  });

  it('has exactly one valid encoding', async () => {
    const { token, isValid } = await signUp(algorithm);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const spellings = [
      ...[`${token}=`, `${token}==`, `${token}.`, `.${token}`, `${token}.x`, `${token}.x.y`, token.toUpperCase(), '..'],
      ...[
        `${header}=.${payload}.${signature}`,
        `${header}.${payload}%3D.${signature}`,
        `"${token}"`,
        `Bearer ${token}`,
      ],
      ...[
        Buffer.alloc(bytes.length),
        bytes.subarray(1),
        Buffer.concat([bytes, Buffer.alloc(1)]),
        bytes.toReversed(),
      ].map((other) => `${header}.${payload}.${Buffer.from(other).toString('base64url')}`),
      JSON.stringify({ protected: header, payload, signature }),
      `${header}.${payload}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
    ];
    for (const spelling of spellings) expect(await isValid(spelling)).toBe(false);
    expect(await isValid(token)).toBe(true);
  });

  it('is not accepted as a refresh token, nor a refresh token as a JWT', async () => {
    const { token, refreshToken, isValid, client } = await signUp(algorithm);
    expect(await isValid(refreshToken)).toBe(false);
    for (const cookie of [
      `app.ref=${token}`,
      `app.sid=${refreshToken}`,
      `app.ref=${randomBytes(52).toString('base64url')}`,
    ]) {
      const { status } = await client().post('/api/auth/signout', undefined, { headers: { cookie } });
      expect(status).toBe(200);
      expect(await isValid(token)).toBe(true);
    }
  });

  it('is accepted from its cookie only', async () => {
    const { token, client } = await signUp(algorithm);
    const path = `/api/auth/session?app.sid=${token}&token=${token}&access_token=${token}`;
    const headers = { 'x-access-token': token, 'app.sid': token, cookie: `sid=${token}; token=${token}` };
    expect((await client().get(path, { headers })).body.session).toBeNull();
  });
});

it('puts custom claims into the JWT and the session, and replaces no registered claim', async () => {
  const registered = ['iss', 'aud', 'sub', 'sid', 'jti', 'iat', 'exp', 'nbf', 'email', 'emailVerified', 'role'];
  const names = [...registered, 'tenantId', 'ver', 'user', 'fva', 'acl'];
  const claims = Object.fromEntries([...names.map((name) => [name, 'evil'] as const), ['plan', 'pro']]);
  const plain = await signUp('ES256');
  const { token, isValid, parts, client } = await signUp('ES256', () => claims);
  expect(await isValid(token)).toBe(true);
  expect(Object.keys(parts.payload).toSorted()).toEqual([...Object.keys(plain.parts.payload), 'plan'].toSorted());
  expect(JSON.stringify(parts.payload)).not.toContain('evil');
  const { body } = await client().get('/api/auth/session', { headers: { cookie: `app.sid=${token}` } });
  expect(body.session).toMatchObject({ claims: { plan: 'pro' } });
  expect(body.session).toHaveProperty('claims', { plan: 'pro' });
});
