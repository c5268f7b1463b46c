import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { startDemo } from '../support/demo-process.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { totpCode } from '../support/totp-code.ts';

/** Moves the clock of a demo, and returns where it stands. */
async function advance(browser: Browser, advanceSeconds: number): Promise<Date> {
  return new Date((await browser.post('/dev/clock', { advanceSeconds })).body.now);
}

it('checks a second factor by the clock of the demo, also after a restart', async () => {
  const folder = makeFolder();
  const first = await startDemo({ folder });
  const [browser, ada] = [new Browser(first.origin), newAccount('ada')];
  await browser.post('/api/auth/signup', ada);
  const { secret, uri } = (await browser.post('/api/auth/mfa/setup')).body;
  expect(uri).toMatch(/^otpauth:\/\/totp\/Tracker:/);
  const now = await advance(browser, 3600);
  await browser.post('/api/auth/refresh');
  const unproven = await browser.post('/api/auth/mfa/verify-setup', { code: totpCode(secret, now) });
  expect([unproven.status, unproven.body.error], 'the sign-in proves too little by now').toMatchObject([
    403,
    { code: 'STEP_UP_REQUIRED', meta: { maxAge: 300, methods: ['password'] } },
  ]);
  const confirmed = await browser.post('/api/auth/confirm', { password: ada.password });
  expect([confirmed.status, confirmed.headers.getSetCookie()]).toEqual([200, []]);
  const verified = await browser.post('/api/auth/mfa/verify-setup', { code: totpCode(secret, now) });
  expect([verified.status, verified.body.error?.code], 'the set-up is over after ten minutes').toEqual([
    400,
    'MFA_NOT_ENABLED',
  ]);
  const again = (await browser.post('/api/auth/mfa/setup')).body.secret;
  const enabled = await browser.post('/api/auth/mfa/verify-setup', {
    code: totpCode(again, await advance(browser, 0)),
  });
  expect(enabled.body.backupCodes).toHaveLength(10);
  expect(await first.stop()).toEqual({ code: 0, signal: null });

  const second = await startDemo({ folder });
  const later = new Browser(second.origin);
  const signIn = await later.post('/api/auth/signin', ada);
  expect([signIn.status, signIn.body.error.code, [...later.cookies.keys()]]).toEqual([
    403,
    'MFA_REQUIRED',
    ['app.mfa'],
  ]);
  const code = totpCode(again, await advance(later, 30));
  const answered = await later.post('/api/auth/mfa/challenge', { code });
  expect([answered.status, [...later.cookies.keys()].toSorted()]).toEqual([200, ['app.ref', 'app.sid']]);
  expect(later.cookies.has('app.mfa')).toBe(false);
});

it('offers no second factor if MFA is switched off', async () => {
  const browser = new Browser(await startHere({ MFA: 'false' }));
  await browser.post('/api/auth/signup', newAccount());
  for (const path of ['setup', 'verify-setup', 'challenge', 'step-up', 'disable', 'backup-codes']) {
    expect((await browser.post(`/api/auth/mfa/${path}`, {})).status).toBe(404);
  }
  expect((await browser.get('/api/auth/mfa/status')).status).toBe(404);
});
