import { createArgon2Hasher, type PasswordHasher } from '@x/auth';
import { createServer } from '@x/server';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer } from '../../support/test-server.ts';
import { titled } from '../../support/titled.ts';

const email = 'ada@example.com';

describe('the password of a sign-up', () => {
  it.each(
    titled([
      { password: 'a7$kQ2x', code: 'too_small' },
      { password: '😀'.repeat(7), code: 'too_small' },
      { password: '', code: 'too_small' },
      { password: 'y'.repeat(257), code: 'too_big' },
      { password: '😀'.repeat(257), code: 'too_big' },
      { password: 'x'.repeat(200_000), code: 'too_big' },
      { password: 'lonely \uD800 surrogate', code: 'invalid_format' },
      { password: 'password1', code: 'too_common' },
      { password: 'PassWord1', code: 'too_common' },
      { password: '12345678', code: 'too_common' },
    ]),
  )('is refused: %s', async (_title, { password, code }) => {
    const { server, client } = await createTestServer();
    const response = await client().post('/api/auth/signup', { email, password });
    expect(refusalOf(response)).toBe('VALIDATION_FAILED');
    expect(response.body.error.issues).toEqual([expect.objectContaining({ path: ['password'], code })]);
    expect(await server.stores.users.findByLoginEmail(email)).toBeNull();
  });

  it.each(
    titled([
      'a7$kQ2xZ',
      '😀'.repeat(8),
      'x'.repeat(64),
      'é'.repeat(256),
      '😀'.repeat(256),
      ' '.repeat(9),
      'nul \0 within',
    ]),
  )('is accepted as %s, and no other spelling signs in', async (_title, password) => {
    const { client } = await createTestServer();
    const sent = async (path: string, text: string): Promise<number> =>
      (await client().post(path, { email, password: text })).status;
    expect(await sent('/api/auth/signup', password)).toBe(201);
    expect(await sent('/api/auth/signin', password)).toBe(200);
    const [first = '', ...rest] = Array.from(password);
    const start = first + rest.slice(0, -1).join('');
    for (const text of [start, `${start}~`, `~${rest.join('')}`, `${start}~ `]) {
      expect(await sent('/api/auth/signin', text)).toBe(401);
    }
    expect(await sent('/api/auth/signin', password.normalize('NFD')), 'letters may be composed').toBe(200);
  });

  it('is the same however the keyboard composes it, wherever it is set, checked and compared with refused passwords', async () => {
    const { client, server } = await createTestServer();
    const [composed, decomposed] = ['crème brûlée'.normalize('NFC'), 'crème brûlée'.normalize('NFD')];
    const browser = client();
    expect((await browser.post('/api/auth/signup', { email, password: decomposed })).status).toBe(201);
    for (const password of [composed, decomposed, 'ｃｒème brûlée']) {
      expect((await client().post('/api/auth/signin', { email, password })).status).toBe(200);
    }
    expect((await browser.post('/api/auth/confirm', { password: composed })).status).toBe(200);
    const { id } = (await server.stores.users.findByLoginEmail(email))!;
    expect(await server.auth.admin.setPassword(id, `${composed}!`)).toMatchObject({ ok: true });
    expect((await client().post('/api/auth/signin', { email, password: `${decomposed}!` })).status).toBe(200);
    const common = { email: 'eve@example.com', password: 'ｐａｓｓｗｏｒｄ' };
    const refused = await client().post('/api/auth/signup', common);
    expect(refused.body.error.issues).toMatchObject([{ code: 'too_common' }]);
    const short = await client().post('/api/auth/signup', { ...common, password: 'é'.normalize('NFD').repeat(7) });
    expect(short.body.error.issues).toMatchObject([{ code: 'too_small' }]);
  });

  it('is refused at sign-in, too, and never hashed if it has more than 1024 bytes', async () => {
    const inner = createArgon2Hasher({ memoryKib: 8, passes: 1 });
    const verify = vi.fn<PasswordHasher['verify']>((hash, text) => inner.verify(hash, text));
    const { client } = await createTestServer({ auth: { passwordHasher: { ...inner, verify } } });
    for (const password of ['x'.repeat(1025), 'é'.repeat(513), 'x'.repeat(200_000)]) {
      const response = await client().post('/api/auth/signin', { email, password });
      expect(refusalOf(response)).toBe('VALIDATION_FAILED');
      expect(response.body.error.issues).toEqual([expect.objectContaining({ path: ['password'], code: 'too_big' })]);
    }
    expect(verify).not.toHaveBeenCalled();
    const longest = await client().post('/api/auth/signin', { email, password: 'x'.repeat(1024) });
    expect(refusalOf(longest)).toBe('INVALID_CREDENTIALS');
  });

  it('depends on every one of 200 characters', async () => {
    const { client } = await createTestServer();
    const password = 'correct horse battery staple '.repeat(7).slice(0, 200);
    await client().post('/api/auth/signup', { email, password });
    for (const at of [0, 71, 72, 73, 127, 128, 198, 199]) {
      const near = `${password.slice(0, at)}~${password.slice(at + 1)}`;
      expect(refusalOf(await client().post('/api/auth/signin', { email, password: near }))).toBe('INVALID_CREDENTIALS');
    }
    expect((await client().post('/api/auth/signin', { email, password })).status).toBe(200);
  });

  it('needs neither an upper-case letter nor a digit unless the app requires them', async () => {
    const auth = { emailPassword: { password: { minLength: 12, requireUppercase: true, requireNumbers: true } } };
    const password = 'onlyletters';
    expect((await (await createTestServer()).client().post('/api/auth/signup', { email, password })).status).toBe(201);
    const { client } = await createTestServer({ auth });
    const response = await client().post('/api/auth/signup', { email, password });
    expect(refusalOf(response)).toBe('VALIDATION_FAILED');
    expect(response.body.error.issues.map(({ code }) => code)).toEqual([
      'too_small',
      'missing_uppercase',
      'missing_number',
    ]);
    expect((await client().post('/api/auth/signup', { email, password: 'Only13letters' })).status).toBe(201);
  });

  it("is refused in any case if it is on the app's own list", async () => {
    const blocklist = ['Acme-Corporation'];
    const { client } = await createTestServer({ auth: { emailPassword: { password: { blocklist } } } });
    const response = await client().post('/api/auth/signup', { email, password: 'acme-CORPORATION' });
    expect(response.body.error.issues).toEqual([expect.objectContaining({ path: ['password'], code: 'too_common' })]);
  });

  it('is hashed by argon2id with at least 19 MiB and two passes', async () => {
    const { server, client } = await createTestServer({ auth: { passwordHasher: createArgon2Hasher() } });
    await client().post('/api/auth/signup', { email, password: 'correct horse battery' });
    const user = await server.stores.users.findByLoginEmail(email);
    expect(user?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  it('is stored nowhere in clear text, and has two hashes for two users', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'x-server-test-'));
    const clock = { now: () => new Date() };
    const server = await createServer({
      database: createSqliteStores({ patience: patient, path: join(folder, 'test.db'), clock }),
      auth: {
        production: false,
        developmentKeysPath: join(folder, 'keys'),
        session: { strategy: 'jwt', algorithm: 'ES256' },
        passwordHasher: createArgon2Hasher({ memoryKib: 8, passes: 1 }),
      },
    });
    onTestFinished(() => server.close());
    await server.initialize();
    const password = 'a password to look for';
    const signedUp = await server.auth.api.signUp({ email, password });
    await server.auth.api.signUp({ email: 'eve@example.com', password });
    await server.auth.api.signIn({ email, password: `${password}, wrong` });
    const users = await Promise.all([email, 'eve@example.com'].map((key) => server.stores.users.findByLoginEmail(key)));
    expect(users[0]?.passwordHash).not.toBe(users[1]?.passwordHash);

    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = Buffer.concat(files.map(({ name }) => readFileSync(join(folder, name))));
    expect(bytes.includes(users[0]!.passwordHash!)).toBe(true);
    const cookies = (signedUp.ok && signedUp.value?.cookies) || [];
    const tokens = cookies.flatMap((cookie) => /^[^=]+=([^;]+)/.exec(cookie)?.[1] ?? []);
    expect(tokens).toHaveLength(2);
    for (const secret of [password, ...tokens]) expect(bytes.includes(secret)).toBe(false);
  });
});

it('hashes up to three passwords at once, one for each core, and asks further callers to retry later', async () => {
  const { hasher, open, most } = gatedHasher();
  const { client } = await createTestServer({ auth: { passwordHasher: hasher } });
  const waiting = Array.from({ length: 600 }, (_, index) =>
    client().post('/api/auth/signup', { email: `user${index}@example.com`, password: 'correct horse battery' }),
  );
  const refused = await Promise.any(waiting);
  expect(refusalOf(refused)).toBe('SERVICE_UNAVAILABLE');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(refused.headers.getSetCookie()).toEqual([]);
  open();
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
  expect(most()).toBe(Math.min(availableParallelism(), 3));
});

it('hashes for a polite network soon, while hostile ones keep the queue full with random addresses', async () => {
  const { hasher, open, begun } = gatedHasher();
  const { client } = await createTestServer({ auth: { passwordHasher: hasher } });
  const signUp = async (address: string, name: string): Promise<number> => {
    const user = { email: `${name}@example.com`, password: passwordOf(name) };
    return (await client(address).post('/api/auth/signup', user)).status;
  };
  const passwordOf = (name: string): string => `correct horse battery of ${name}`;
  // A network may have fewer requests in flight than the queue has room for.
  const hostile = (index: number): string => `192.0.2.${60 + (index % 3)}`;
  const flood = Array.from({ length: 600 }, (_, index) => signUp(hostile(index), `random${index}`));
  expect(await Promise.any(flood)).toBe(503);
  const names = ['ada', 'eve', 'bob'];
  const polite = names.map((name) => signUp('192.0.2.1', name));
  const more = Array.from({ length: 100 }, (_, index) => signUp(hostile(index), `other${index}`));
  expect(new Set(await Promise.all(more))).toEqual(new Set([503]));
  open();
  expect(await Promise.all(polite)).toEqual([201, 201, 201]);
  // Four ran when they came; then the networks took turns.
  for (const name of names) expect(begun.indexOf(passwordOf(name))).toBeLessThan(4 + 3 * 4);
  await Promise.all(flood);
});

interface GatedHasher {
  readonly hasher: PasswordHasher;
  /** Lets the hashes go on. */
  readonly open: () => void;
  /** How many ran at once at most. */
  readonly most: () => number;
  /** The passwords that were to be hashed, in order. */
  readonly begun: readonly string[];
}

function gatedHasher(): GatedHasher {
  const gate = Promise.withResolvers<void>();
  const inner = createArgon2Hasher({ memoryKib: 8, passes: 1 });
  const begun: string[] = [];
  let [running, most] = [0, 0];
  const hash = async (password: string): Promise<string> => {
    begun.push(password);
    running += 1;
    most = Math.max(most, running);
    await gate.promise;
    const stored = await inner.hash(password);
    running -= 1;
    return stored;
  };
  return { hasher: { ...inner, hash }, open: gate.resolve, most: () => most, begun };
}
