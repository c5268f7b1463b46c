import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { allEngines, createDatabase } from '../../support/databases.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, createMfaServer, enrol, type SecondFactor, submitCode } from '../../support/second-factor.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';
import { totpCode } from '../../support/totp-code.ts';

const path = '/api/auth/mfa';

/** Servers on one database: before the key is rotated, meanwhile, and once the old key has left. */
async function createServers(
  engine: (typeof allEngines)[number],
): Promise<{ readonly old: TestServer; readonly rotated: TestServer; readonly current: TestServer }> {
  const database = await createDatabase(engine);
  const open = (...oauthEncryptionKey: string[]): Promise<TestServer> =>
    createMfaServer({ database, auth: { oauthEncryptionKey } });
  return { old: await open('old'), rotated: await open('new', 'old'), current: await open('new') };
}

async function secretOf({ server }: TestServer, userId: string): Promise<string | undefined> {
  const { mfa } = server.stores;
  return (await mfa.find(userId as UserId))?.secret ?? (await mfa.findPending(userId as UserId))?.secret;
}

/** The same browser at another server of the app. */
function at(server: TestServer, { cookies }: TestClient): TestClient {
  const browser = server.client();
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return browser;
}

/** Every way to consume a code, on a user who stays enrolled. */
const uses: Record<string, (server: TestServer, factor: SecondFactor, code: string) => Promise<number>> = {
  challenge: async (server, { challenged }, code) => (await submitCode(at(server, await challenged()), code)).status,
  'step-up': async (server, { browser }, code) => (await at(server, browser).post(`${path}/step-up`, { code })).status,
  confirm: async (server, { browser }, code) => (await at(server, browser).post('/api/auth/confirm', { code })).status,
  'backup-codes': async (server, { browser }, code) =>
    (await at(server, browser).post(`${path}/backup-codes`, { code })).status,
};

describe.each(engines)('a rotated key of second factors on %s', (engine) => {
  it.each(Object.keys(uses))(
    'seals a secret anew when a code is accepted at %s, so that the old one can leave',
    async (use) => {
      const { old, rotated, current } = await createServers(engine);
      const factor = await enrol(old);
      const before = await secretOf(old, factor.userId);
      await submitCode(at(rotated, await factor.challenged()), factor.wrongCode());
      await submitCode(at(rotated, await factor.challenged()), factor.backupCodes[0]);
      expect(await secretOf(rotated, factor.userId), 'only a right code of the app is a reason').toBe(before);

      expect(await uses[use]!(rotated, factor, factor.nextCode())).toBe(200);
      const after = await secretOf(rotated, factor.userId);
      expect(after).not.toBe(before);
      expect(await uses[use]!(rotated, factor, factor.nextCode())).toBe(200);
      expect(await secretOf(rotated, factor.userId), 'it is sealed with the current key already').toBe(after);
      expect((await at(current, factor.browser).post(`${path}/step-up`, { code: factor.nextCode() })).status).toBe(200);
    },
  );

  it('accepts a code that was verified just before its secret was sealed anew', async () => {
    const database = createTestDatabase(engine);
    const old = await createMfaServer({ database, auth: { oauthEncryptionKey: 'old' } });
    const during: { step: () => Promise<unknown> } = { step: async () => undefined };
    // The app's claims are computed after the code was verified, and before it is consumed.
    const claims = async (): Promise<Record<string, never>> => {
      await during.step();
      return {};
    };
    const rotated = await createMfaServer({ database, auth: { oauthEncryptionKey: ['new', 'old'], claims } });
    const factor = await enrol(old);
    const resealed: unknown[] = [];
    during.step = async () => void resealed.push(await rotated.server.auth.admin.reseal());
    expect(await uses['challenge']!(rotated, factor, factor.nextCode())).toBe(200);
    expect(resealed).toMatchObject([{ value: { resealed: 1 } }]);
    // Another secret is not the same one sealed anew.
    during.step = async () => {
      const { userId } = factor;
      await rotated.server.auth.admin.removeMfa(userId);
      const { secret } = (await at(rotated, factor.browser).post(`${path}/setup`)).body;
      const code = totpCode(secret, new Date(rotated.clock.now().getTime() - 30_000));
      expect((await at(rotated, factor.browser).post(`${path}/verify-setup`, { code })).status).toBe(200);
    };
    expect(await uses['challenge']!(rotated, factor, factor.nextCode())).toBe(400);
  });

  it('lets the old one leave after auth.admin.reseal', async () => {
    const { old, rotated, current } = await createServers(engine);
    const factors: SecondFactor[] = [];
    for (const name of ['ada', 'ben', 'cy']) factors.push(await enrol(old, { ...ada, email: `${name}@example.com` }));
    const browser = old.client();
    await browser.post('/api/auth/signup', { ...ada, email: 'dan@example.com' });
    const { secret } = (await browser.post(`${path}/setup`)).body;

    const { admin } = rotated.server.auth;
    const concurrent = await Promise.all([admin.reseal(), admin.reseal(), admin.reseal()]);
    const counts = concurrent.map((each) => (each.ok ? each.value.resealed : Number.NaN));
    expect(
      counts.reduce((sum, count) => sum + count),
      'each of them once',
    ).toBe(4);
    expect(await admin.reseal()).toMatchObject({ ok: true, value: { resealed: 0, unreadable: 0 } });
    const started = { code: totpCode(secret, old.clock.now()) };
    expect((await at(current, browser).post(`${path}/verify-setup`, started)).status).toBe(200);
    old.clock.advance(30_000);
    for (const { browser: each, code } of factors) {
      expect((await at(current, each).post(`${path}/step-up`, { code: code() })).status).toBe(200);
    }
  });

  it('is told of secrets that no key opens, and leaves them alone', async () => {
    const { old, current } = await createServers(engine);
    const { userId } = await enrol(old);
    await enrol(current, { ...ada, email: 'ben@example.com' });
    const before = await secretOf(old, userId);
    const resealed = await current.server.auth.admin.reseal();
    expect(resealed).toMatchObject({ ok: true, value: { resealed: 0, unreadable: 1 } });
    expect(await secretOf(old, userId)).toBe(before);
  });
});

it('reseals more secrets than one page has', async () => {
  const { server } = await createMfaServer({ auth: { oauthEncryptionKey: ['new', 'old'] } });
  const expiresAt = new Date(server.stores.clock.now().getTime() + 60_000);
  for (let index = 0; index < 1001; index += 1) {
    const { id } = await addUser(server, { email: `user-${index}@example.com` });
    await server.stores.mfa.startSetup({ userId: id, secret: 'foreign', expiresAt });
  }
  expect(await server.auth.admin.reseal()).toMatchObject({ value: { resealed: 0, unreadable: 1001 } });
});

it('reseals nothing in an app without second factors', async () => {
  const { server } = await createTestServer();
  expect(await server.auth.admin.reseal()).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
});

describe.each(engines)('a secret that no key opens on %s', (engine) => {
  it('makes codes wrong and logs whose it is, while backup codes still work', async () => {
    const database = createTestDatabase(engine);
    const { logger, lines } = recordingLogger();
    const old = await createMfaServer({ database, auth: { oauthEncryptionKey: 'old' } });
    const factor = await enrol(old);
    const current = await createMfaServer({ database, logger, auth: { oauthEncryptionKey: 'new' } });
    const browser = at(current, factor.browser);
    const errors = (): readonly unknown[] => lines.filter(({ level }) => level === 'error');
    expect(refusalOf(await browser.post(`${path}/step-up`, { code: factor.nextCode() }))).toBe('MFA_INVALID_CODE');
    expect(errors()).toEqual([
      {
        level: 'error',
        fields: { userId: factor.userId },
        message: 'no key of oauthEncryptionKey opens the secret of a second factor',
      },
    ]);
    expect((await browser.post(`${path}/step-up`, { code: factor.backupCodes[0] })).status).toBe(200);
    for (let count = 1; count < 10; count += 1) await at(current, browser).post(`${path}/step-up`, { code: '000000' });
    const limited = await at(current, browser).post(`${path}/step-up`, { code: factor.nextCode() });
    expect(refusalOf(limited), 'each counts as a wrong code').toBe('RATE_LIMITED');
  });

  it('makes the first code of a setup wrong, too', async () => {
    const { old, current } = await createServers(engine);
    const browser = old.client();
    await browser.post('/api/auth/signup', ada);
    const { secret } = (await browser.post(`${path}/setup`)).body;
    const code = totpCode(secret, old.clock.now());
    expect(refusalOf(await at(current, browser).post(`${path}/verify-setup`, { code }))).toBe('MFA_INVALID_CODE');
    expect((await browser.post(`${path}/verify-setup`, { code })).status).toBe(200);
  });
});

it.each(allEngines)('loses no code, setup or removal while four processes on %s reseal', async (engine) => {
  const database = await createDatabase(engine);
  const open = (...oauthEncryptionKey: string[]): Promise<TestServer> =>
    createMfaServer({ database, auth: { oauthEncryptionKey } });
  const old = await open('old');
  const users = Array.from({ length: 12 }, (_, index) => ({ ...ada, email: `user-${index}@example.com` }));
  const factors: SecondFactor[] = [];
  for (const user of users.slice(4)) factors.push(await enrol(old, user));
  const pending: { readonly browser: TestClient; readonly secret: string }[] = [];
  for (const user of users.slice(0, 4)) {
    const browser = old.client();
    await browser.post('/api/auth/signup', user);
    pending.push({ browser, secret: (await browser.post(`${path}/setup`)).body.secret });
  }
  const processes = await Promise.all(Array.from({ length: 4 }, () => open('new', 'old')));
  old.clock.advance(30_000);
  const [steppingUp, leaving] = [factors.slice(0, 4), factors.slice(4)];
  const changes = [
    ...steppingUp.map(
      ({ browser, code }) =>
        () =>
          at(processes[0]!, browser).post(`${path}/step-up`, { code: code() }),
    ),
    ...leaving.map(
      ({ browser, code }) =>
        () =>
          at(processes[1]!, browser).post(`${path}/disable`, { code: code() }),
    ),
    ...pending.map(
      ({ browser, secret }) =>
        () =>
          at(processes[2]!, browser).post(`${path}/verify-setup`, { code: totpCode(secret, old.clock.now()) }),
    ),
  ];
  const [resealed, responses] = await Promise.all([
    Promise.all(processes.map(({ server }) => server.auth.admin.reseal())),
    Promise.all(changes.map((change) => change())),
  ]);
  expect(responses.map(({ status }) => status)).toEqual(changes.map(() => 200));
  for (const each of resealed) expect(each).toMatchObject({ ok: true, value: { unreadable: 0 } });

  // Without the old key, everybody still has what they had, and nothing else.
  const current = await open('new');
  expect(await current.server.auth.admin.reseal()).toMatchObject({ value: { resealed: 0, unreadable: 0 } });
  old.clock.advance(30_000);
  for (const { browser, code } of steppingUp) {
    expect((await at(current, browser).post(`${path}/step-up`, { code: code() })).status).toBe(200);
  }
  for (const { browser, secret } of pending) {
    const code = totpCode(secret, old.clock.now());
    expect((await at(current, browser).post(`${path}/step-up`, { code })).status).toBe(200);
  }
  for (const { userId } of leaving) expect(await secretOf(current, userId)).toBeUndefined();
});
