import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStores } from '@x/store-sqlite';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { describe, expect, it } from 'vitest';
import { recordingLogger } from '../../support/recording-logger.ts';
import { faultOf, refusalOf } from '../../support/refusal-of.ts';
import { ada, claimOf, createMfaServer, enrol, submitCode } from '../../support/second-factor.ts';
import { fromBase32 } from '../../support/totp-code.ts';

const path = '/api/auth/mfa';
const list = (): [] => [];
const tenant = { list, isMember: (): boolean => true };

/** All routes of second factors and tenants that write. */
const writing = [
  ...['setup', 'verify-setup', 'challenge', 'step-up', 'disable', 'backup-codes'].map((name) => `/mfa/${name}`),
  '/switch-tenant',
];

describe('requests of second factors and tenants', () => {
  it('are refused unless they come from a page of the app', async () => {
    const test = await createMfaServer({ auth: { tenant } });
    const { browser, nextCode, userId } = await enrol(test);
    const body = { code: nextCode(), tenantId: 'one' };
    for (const route of writing) {
      for (const headers of [{ 'x-app-request': null }, { origin: 'https://evil.example' }, { origin: null }]) {
        const refused = await browser.post(`/api/auth${route}`, body, { headers });
        expect(refusalOf(refused), route).toBe('CSRF_FAILED');
      }
    }
    expect((await browser.post(`${path}/step-up`, { code: body.code })).status, 'the code is still good').toBe(200);
    expect(await test.server.stores.users.findById(userId as never)).toMatchObject({ tenantId: null });
  });

  it('may carry a bearer token instead, except where a sign-in is completed', async () => {
    const test = await createMfaServer({ auth: { tenant } });
    const { browser, nextCode } = await enrol(test);
    const authorization = `Bearer ${browser.cookies.get('app.sid')}`;
    const headers = { authorization, origin: null, 'x-app-request': null };
    const caller = test.client();
    expect((await caller.get(`${path}/status`, { headers })).status).toBe(200);
    expect(refusalOf(await caller.post(`${path}/challenge`, { code: nextCode() }, { headers }))).toBe('CSRF_FAILED');
    const refused = await caller.post(`${path}/step-up`, { code: nextCode() }, { headers });
    expect(refusalOf(refused), 'which is no refresh token').toBe('SESSION_EXPIRED');
  });

  it('get responses with no-store and the common error shape for any outcome', async () => {
    const { client } = await createMfaServer({ auth: { tenant } });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    for (const route of [...writing, '/mfa/status', '/tenants']) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const raw = method === 'GET' ? {} : { raw: '{' };
        const answered = await browser.send(`/api/auth${route}`, { method, ...raw });
        expect(answered.headers.get('cache-control'), `${method} ${route}`).toBe('no-store');
        expect(faultOf(answered), `${method} ${route}`).toBeNull();
      }
    }
  });

  it('are refused as unauthenticated before their input is parsed, and count no attempt', async () => {
    const test = await createMfaServer();
    const { challenged, nextCode } = await enrol(test);
    const anonymous = test.client('192.0.2.7');
    for (let count = 0; count < 6; count += 1) {
      expect(refusalOf(await anonymous.post(`${path}/challenge`, { code: 1 }))).toBe('SESSION_EXPIRED');
      expect(refusalOf(await anonymous.post(`${path}/step-up`, { code: 1 }))).toBe('UNAUTHENTICATED');
    }
    anonymous.cookies.set('app.mfa', (await challenged()).cookies.get('app.mfa')!);
    expect((await submitCode(anonymous, nextCode())).status).toBe(200);
  });

  it('set the challenge as a Lax cookie that is Secure like the others', async () => {
    const session = { strategy: 'jwt', algorithm: 'ES256', cookie: { secure: false, sameSite: 'strict' } } as const;
    const test = await createMfaServer({ auth: { session } });
    await enrol(test);
    const signIn = await test.client().post('/api/auth/signin', ada);
    expect(
      signIn.headers
        .getSetCookie()
        .at(-1)
        ?.replace(/^[^;]+/, ''),
    ).toBe('; Max-Age=300; Path=/api/auth/mfa; HttpOnly; SameSite=Lax');
  });
});

it('handles second factors through auth.api like the routes', async () => {
  const test = await createMfaServer({ auth: { tenant } });
  const { api } = test.server.auth;
  const { backupCodes, browser, nextCode } = await enrol(test);
  const headers = (): Headers =>
    new Headers({ cookie: `app.sid=${browser.cookies.get('app.sid')}; app.ref=${browser.cookies.get('app.ref')}` });
  expect(await api.mfa.status(headers())).toMatchObject({ value: { enabled: true, backupCodesRemaining: 10 } });
  expect(await api.confirm({ code: nextCode() }, headers())).toMatchObject({
    value: { confirmedUntil: new Date(test.clock.now().getTime() + 300_000) },
  });
  expect(await api.mfa.setup(headers())).toMatchObject({ error: { code: 'MFA_ALREADY_ENABLED' } });
  expect(await api.mfa.verifySetup({ code: '1' }, headers())).toMatchObject({ error: { code: 'MFA_NOT_ENABLED' } });
  expect(await api.mfa.stepUp({ code: nextCode() }, headers())).toMatchObject({
    value: { user: { email: ada.email } },
  });
  expect(await api.mfa.stepUp({ code: 7 as never }, headers())).toMatchObject({ error: { code: 'VALIDATION_FAILED' } });
  const replaced = await api.mfa.backupCodes({ code: backupCodes[0]! }, headers());
  expect(replaced.ok && replaced.value.backupCodes).toHaveLength(10);
  expect(await api.mfa.disable({ code: backupCodes[1]! }, headers())).toMatchObject({
    error: { code: 'MFA_INVALID_CODE' },
  });
  expect(await api.mfa.disable({ code: nextCode() }, headers())).toMatchObject({ ok: true });
  expect(await api.listTenants(headers())).toMatchObject({ value: { tenants: [], currentTenantId: null } });
  const switched = await api.switchTenant({ tenantId: 'one' }, headers());
  expect(switched).toMatchObject({ value: { tenantId: 'one', user: { tenantId: 'one' } } });
  expect(await api.listTenants(headers()), 'by the old JWT').toMatchObject({ error: { code: 'UNAUTHENTICATED' } });
  expect(claimOf(browser, 'tenantId')).toBeNull();
});

it('stores and logs no secret, code or challenge in clear text', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'x-server-test-')), 'test.db');
  const clock = new ManualClock();
  const { logger, lines } = recordingLogger();
  const test = await createMfaServer({
    database: { clock, open: () => createSqliteStores({ patience: patient, path, clock }) },
    logger,
  });
  const { backupCodes, browser, challenged, nextCode, secret, wrongCode } = await enrol(test);
  const waiting = await challenged();
  const challenge = waiting.cookies.get('app.mfa')!;
  const codes = [wrongCode(), nextCode()];
  for (const code of codes) await submitCode(waiting, code);
  await submitCode(await challenged(), backupCodes[0]);
  await browser.post('/api/auth/mfa/disable', { code: wrongCode() });
  const other = await enrol(test, { email: 'eve@example.com', password: 'correct horse battery' });
  const pending = test.client();
  await pending.post('/api/auth/signup', { email: 'bob@example.com', password: 'correct horse battery' });
  const setup = (await pending.post('/api/auth/mfa/setup')).body.secret;

  const dump = [path, `${path}-wal`].map((file) => readFileSync(file, 'latin1')).join('');
  const log = JSON.stringify(lines);
  expect(dump).toContain('eve@example.com');
  expect(log).toContain('mfa.challenged');
  const encodings = (text: string): string[] => {
    const bytes = fromBase32(text);
    return [text, text.toLowerCase(), bytes.toString('latin1'), bytes.toString('hex'), bytes.toString('base64url')];
  };
  const clear = [secret, other.secret, setup].flatMap(encodings);
  const backups = [...backupCodes, ...other.backupCodes].flatMap((code) => [code, code.replaceAll('-', '')]);
  for (const text of [...clear, ...backups, challenge]) {
    expect(dump.includes(text), text).toBe(false);
    expect(log.includes(text), text).toBe(false);
  }
  // In the database, six digits may be part of any number.
  for (const code of codes) expect(log.includes(`"${code}"`)).toBe(false);
});
