import { describe, expect, it } from 'vitest';
import { ada, submitCode, claimOf, createMfaServer, enrol } from '../../support/second-factor.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { totpCode } from '../../support/totp-code.ts';

const minute = 60_000;
const path = '/api/auth/mfa';

describe.each(engines)('the setup of a second factor on %s', (engine) => {
  it('shows the secret once, waits for a code, and returns ten backup codes', async () => {
    const { client, clock } = await createMfaServer({ engine });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const off = { enabled: false, backupCodesRemaining: 0 };
    expect((await browser.get(`${path}/status`)).body).toEqual(off);
    const setup = await browser.post(`${path}/setup`);
    expect([setup.status, Object.keys(setup.body)]).toEqual([200, ['secret', 'uri']]);
    const { secret, uri } = setup.body;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toContain(`otpauth://totp/localhost:ada%40example.com?`);
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect((await browser.get(`${path}/status`)).body).toEqual(off);

    const verified = await browser.post(`${path}/verify-setup`, { code: totpCode(secret, clock.now()) });
    expect([verified.status, Object.keys(verified.body)]).toEqual([200, ['backupCodes']]);
    expect(new Set(verified.body.backupCodes).size).toBe(10);
    expect(verified.headers.getSetCookie()).toEqual([]);
    expect((await browser.get(`${path}/status`)).body).toEqual({ enabled: true, backupCodesRemaining: 10 });
    expect(refusalOf(await browser.post(`${path}/setup`)), 'the password proves no more').toBe('STEP_UP_REQUIRED');
    await browser.post('/api/auth/confirm', { code: verified.body.backupCodes[0] });
    expect(refusalOf(await browser.post(`${path}/setup`))).toBe('MFA_ALREADY_ENABLED');
    await browser.post('/api/auth/refresh');
    expect(claimOf(browser, 'fva')).toBeUndefined();
  });

  it('never shows the secret again', async () => {
    const { browser, secret } = await enrol(await createMfaServer({ engine }));
    for (const route of ['/mfa/status', '/session', '/sessions', '/events']) {
      expect((await browser.get(`/api/auth${route}`)).text).not.toContain(secret);
    }
  });

  it('expires after ten minutes, and is replaced by a newer one', async () => {
    const { client, clock } = await createMfaServer({ engine });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const verify = async (secret: string): Promise<string> => {
      const verified = await browser.post(`${path}/verify-setup`, { code: totpCode(secret, clock.now()) });
      return verified.status === 200 ? 'verified' : refusalOf(verified);
    };
    const first = (await browser.post(`${path}/setup`)).body.secret;
    clock.advance(10 * minute);
    await browser.post('/api/auth/confirm', { password: ada.password });
    expect(await verify(first)).toBe('MFA_NOT_ENABLED');
    const second = (await browser.post(`${path}/setup`)).body.secret;
    const third = (await browser.post(`${path}/setup`)).body.secret;
    expect(new Set([first, second, third]).size).toBe(3);
    expect(await verify(second)).toBe('MFA_INVALID_CODE');
    clock.advance(10 * minute - 1);
    await browser.post('/api/auth/confirm', { password: ada.password });
    expect(await verify(third)).toBe('verified');
    expect(await verify(third), 'by a session that proves too little now').toBe('STEP_UP_REQUIRED');
  });

  it('uses up its first code', async () => {
    const { code, challenged, nextCode } = await enrol(await createMfaServer({ engine }));
    const browser = await challenged();
    expect(refusalOf(await submitCode(browser, code()))).toBe('MFA_INVALID_CODE');
    expect(refusalOf(await submitCode(browser, code(-1)))).toBe('MFA_INVALID_CODE');
    expect((await submitCode(browser, nextCode())).status).toBe(200);
  });

  it.each(['verify-setup', 'step-up', 'challenge'])('lets %s accept only a string as a code', async (route) => {
    const test = await createMfaServer({ engine });
    const { browser, code, challenged } = await enrol(test);
    test.clock.advance(30_000);
    const asking = route === 'challenge' ? await challenged() : browser;
    const numbers = [Number(code()), [code()], [[code()]], { code: code() }, null, true, 0, -1, '1'.repeat(65)];
    for (const given of numbers) {
      expect(refusalOf(await asking.post(`${path}/${route}`, { code: given }))).toBe('VALIDATION_FAILED');
    }
    for (const body of [{}, [], [{ code: code() }], { code: code(), extra: 1 }, { Code: code() }]) {
      expect(refusalOf(await asking.post(`${path}/${route}`, body))).toBe('VALIDATION_FAILED');
    }
  });
});

describe('a second factor', () => {
  it('shows the configured issuer', async () => {
    const auth = { mfa: { enabled: true, issuer: 'Ada & Co' } };
    const { client } = await createMfaServer({ auth });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const uri = new URL((await browser.post(`${path}/setup`)).body.uri);
    expect(uri.searchParams.get('issuer')).toBe('Ada & Co');
  });

  it('requires an active session, also beside a valid JWT', async () => {
    const test = await createMfaServer();
    const { browser, code } = await enrol(test);
    const attempts: Record<string, (asking: TestClient) => ReturnType<TestClient['send']>> = {
      setup: (asking) => asking.post(`${path}/setup`),
      'verify-setup': (asking) => asking.post(`${path}/verify-setup`, { code: code() }),
      'step-up': (asking) => asking.post(`${path}/step-up`, { code: code() }),
      disable: (asking) => asking.post(`${path}/disable`, { code: code() }),
      'backup-codes': (asking) => asking.post(`${path}/backup-codes`, { code: code() }),
      status: (asking) => asking.get(`${path}/status`),
    };
    const { id } = (await browser.get('/api/auth/session')).body.session!;
    await test.server.stores.sessions.revoke(id as never);
    // As in another process that does not know of the revocation yet.
    const { auth } = await createMfaServer({ database: { clock: test.clock, open: () => test.server.stores } }).then(
      ({ client }) => ({ auth: client() }),
    );
    auth.adoptSession(browser);
    for (const [name, attempt] of Object.entries(attempts)) {
      expect(refusalOf(await attempt(test.client())), name).toBe('UNAUTHENTICATED');
      expect(refusalOf(await attempt(auth)), name).toBe('UNAUTHENTICATED');
    }
  });

  it('has no routes if the app has not enabled it', async () => {
    const { client, server } = await createTestServer();
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    for (const route of ['setup', 'verify-setup', 'challenge', 'step-up', 'disable', 'backup-codes']) {
      expect(refusalOf(await browser.post(`${path}/${route}`, { code: '000000' }))).toBe('NOT_FOUND');
    }
    expect(refusalOf(await browser.get(`${path}/status`))).toBe('NOT_FOUND');
    const headers = new Headers({ cookie: `app.sid=${browser.cookies.get('app.sid')}` });
    const { mfa } = server.auth.api;
    for (const outcome of [
      ...[await mfa.setup(headers), await mfa.status(headers), await mfa.challenge({ code: '1' }, headers)],
      ...[await mfa.verifySetup({ code: '1' }, headers), await mfa.stepUp({ code: '1' }, headers)],
      ...[await mfa.disable({ code: '1' }, headers), await mfa.backupCodes({ code: '1' }, headers)],
    ]) {
      expect(outcome).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    }
  });
});
