import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import { makeEcPair, type PemPair } from '../support/key-pairs.ts';
import { refresh, refreshTokenOf } from '../support/refresh.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const baseUrl = 'https://tracker.example';

it('accepts JWTs of the previous key while it is listed, and sessions after that', async () => {
  const [a, b] = [makeEcPair(), makeEcPair()];
  const folder = makeFolder();
  const first = await startProduction(folder, signWith(a));
  const browser = new Browser(first.origin, baseUrl);
  await browser.post('/api/auth/signup', newAccount());
  const { session } = (await browser.get('/api/auth/session')).body;
  const [kidOfA] = await kidsOf(first);
  await first.stop();

  const second = await startProduction(folder, { ...signWith(b), JWT_VERIFICATION_KEYS: a.publicKey });
  const during = moveTo(second, browser);
  expect((await during.get('/api/auth/session')).body.session).toEqual(session);
  const [kidOfB, ...older] = await kidsOf(second);
  expect(older).toEqual([kidOfA]);
  await second.stop();

  const third = await startProduction(folder, signWith(b));
  const after = moveTo(third, browser);
  expect((await after.get('/api/auth/session')).body).toEqual({ session: null });
  expect(await kidsOf(third)).toEqual([kidOfB]);
  // The refresh token comes from ENCRYPTION_KEY, which is the same.
  expect((await after.post('/api/auth/refresh')).status).toBe(200);
  expect((await after.get('/api/auth/session')).body.session?.id).toBe(session?.id);
});

it('rotates keys under processes that are replaced one by one, as the README says', async () => {
  const folder = makeFolder();
  const [a, b] = [makeEcPair(), makeEcPair()];
  const steps = [
    signWith(a),
    { ...signWith(a), JWT_VERIFICATION_KEYS: b.publicKey },
    { ...signWith(b), JWT_VERIFICATION_KEYS: a.publicKey },
  ];
  const processes = await Promise.all(steps.map((step) => startProduction(folder, step)));
  const account = newAccount();
  await new Browser(processes[0]!.origin, baseUrl).post('/api/auth/signup', account);
  // Processes of two neighbouring steps run at the same time.
  for (const [index, process] of processes.entries()) {
    const browser = new Browser(process.origin, baseUrl);
    expect((await browser.post('/api/auth/signin', account)).status).toBe(200);
    const neighbours = processes.slice(Math.max(0, index - 1), index + 2);
    const seen = await Promise.all(neighbours.map((other) => moveTo(other, browser).get('/api/auth/session')));
    expect(seen.map(({ body }) => body.session?.user.email)).toEqual(neighbours.map(() => account.email));
  }
});

it('rotates the secret of refresh tokens under processes that are replaced one by one', async () => {
  const folder = makeFolder();
  const [old, current] = [crypto.randomUUID(), crypto.randomUUID()];
  const keys = signWith(makeEcPair());
  const steps = [old, `${old},${current}`, `${current},${old}`, current];
  const [before, prepared, switched, after] = await Promise.all(
    steps.map((ENCRYPTION_KEY) => startProduction(folder, { ...keys, ENCRYPTION_KEY })),
  );
  const browser = new Browser(before!.origin, baseUrl);
  const account = newAccount();
  await browser.post('/api/auth/signup', account);
  let token = refreshTokenOf(browser);
  for (const demo of [prepared!, before!, switched!, prepared!, switched!, after!]) {
    const refreshed = await refresh(demo.origin, token, { pageOrigin: baseUrl });
    expect(refreshed.answer.status).toBe(200);
    token = refreshed.token ?? '';
  }
  // A token of the old secret that was not refreshed meanwhile is over with it, and ends no session of others.
  await browser.post('/api/auth/signin', account);
  expect((await refresh(after!.origin, refreshTokenOf(browser), { pageOrigin: baseUrl })).answer.status).toBe(401);
  expect((await refresh(switched!.origin, refreshTokenOf(browser), { pageOrigin: baseUrl })).answer.status).toBe(200);
});

const encryptionKey = crypto.randomUUID();

function startProduction(folder: string, variables: Readonly<Record<string, string>>): Promise<DemoProcess> {
  const given = { NODE_ENV: 'production', BASE_URL: baseUrl, ENCRYPTION_KEY: encryptionKey, JWT_ALGORITHM: 'ES256' };
  // No test is so slow that a JWT is over before its end.
  const lasting = { SESSION_TTL: '10m' };
  return startDemo({ folder, variables: { ...given, ...lasting, ...variables } });
}

function signWith({ privateKey, publicKey }: PemPair): Readonly<Record<string, string>> {
  return { JWT_PRIVATE_KEY: privateKey, JWT_PUBLIC_KEY: publicKey };
}

/** Returns the browser as it is, at another demo. */
function moveTo(demo: DemoProcess, { cookies }: Browser): Browser {
  const moved = new Browser(demo.origin, baseUrl);
  for (const [name, value] of cookies) moved.cookies.set(name, value);
  return moved;
}

/** Returns the ids of the published keys, the signing one first. */
async function kidsOf(demo: DemoProcess): Promise<readonly (string | undefined)[]> {
  const { keys } = (await new Browser(demo.origin).get('/api/auth/.well-known/jwks.json')).body;
  return keys.map(({ kid }) => kid);
}
