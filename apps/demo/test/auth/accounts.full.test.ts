import { describe, expect, it } from 'vitest';
import { newAccount, password } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { startDemo } from '../support/demo-process.ts';
import { makeRsaPair } from '../support/key-pairs.ts';
import { startMailServer } from '../support/mail-server.ts';
import { mailedToken } from '../support/outbox.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const next = 'another horse battery';

describe('accounts in development', () => {
  it('verifies an address, resets a password and changes an address by mails of the outbox', async () => {
    const url = await startHere();
    const [account, newEmail] = [newAccount(), newAccount('new').email];
    const browser = new Browser(url);
    expect((await browser.post('/api/auth/signup', account)).body.user).toMatchObject({ emailVerified: false });
    const verification = await mailedToken(url, 'verification', account.email);
    expect((await browser.post('/api/auth/verify-email', { token: verification })).status).toBe(200);

    await browser.post('/api/auth/forgot-password', { email: account.email });
    const reset = await mailedToken(url, 'reset', account.email);
    expect((await browser.post('/api/auth/reset-password', { token: reset, password: next })).status).toBe(200);
    expect((await browser.post('/api/auth/signin', { ...account, password: next })).body.user).toMatchObject({
      emailVerified: true,
    });

    await browser.post('/api/auth/change-email', { email: newEmail, password: next });
    const change = await mailedToken(url, 'verification', newEmail);
    expect((await browser.post('/api/auth/verify-email', { token: change })).status).toBe(200);
    const signedIn = await browser.post('/api/auth/signin', { email: newEmail, password: next });
    expect(signedIn.body.user).toMatchObject({ email: newEmail, emailVerified: true });

    const listed = await browser.get('/api/auth/events?limit=100');
    expect(listed.text).toContain('email.changed');
    const gone = await browser.send('/api/auth/account', { method: 'DELETE', body: { password: next } });
    expect([gone.status, [...browser.cookies]]).toEqual([200, []]);
    expect((await browser.post('/api/auth/signin', { email: newEmail, password: next })).status).toBe(401);
  });

  it('links to the pages of the demo', async () => {
    const url = await startHere();
    const account = newAccount();
    await new Browser(url).post('/api/auth/signup', account);
    const token = await mailedToken(url, 'verification', account.email);
    const { body } = await new Browser(url).get('/dev/outbox');
    expect(body.messages[0]).toMatchObject({ to: account.email, url: `${url}/verify?token=${token}` });
  });

  it('has no routes for features that are switched off', async () => {
    const url = await startHere({ EMAIL_VERIFICATION: 'false', PASSWORD_RESET: 'false' });
    const browser = new Browser(url);
    expect((await browser.post('/api/auth/signup', newAccount())).body.user).toMatchObject({ emailVerified: true });
    for (const path of ['verify-email', 'resend-verification', 'change-email', 'forgot-password', 'reset-password']) {
      expect((await browser.post(`/api/auth/${path}`, {})).status).toBe(404);
    }
  });

  it('gives only the account that proves ADMIN_EMAIL the role of an admin', async () => {
    const account = newAccount('boss');
    const url = await startHere({ ADMIN_EMAIL: account.email.toUpperCase() });
    const [boss, other] = [new Browser(url), new Browser(url)];
    const worker = newAccount();
    expect((await boss.post('/api/auth/signup', account)).body.user.role).toBe('user');
    await other.post('/api/auth/signup', worker);
    for (const { email } of [account, worker]) {
      const token = await mailedToken(url, 'verification', email);
      await boss.post('/api/auth/verify-email', { token });
    }
    expect((await boss.get('/api/auth/session')).body.session, 'a JWT that names the old role').toBeNull();
    expect((await boss.post('/api/auth/refresh')).body.user.role).toBe('admin');
    expect((await other.post('/api/auth/refresh')).body.user.role).toBe('user');
  });
});

describe('accounts in production', () => {
  it('sends its mails by SMTP, with links of BASE_URL, and has no outbox', async () => {
    const mails = await startMailServer();
    const { privateKey, publicKey } = makeRsaPair();
    const origin = 'https://tracker.example';
    const url = await startHere({
      ...{ NODE_ENV: 'production', BASE_URL: origin, SMTP_URL: mails.url },
      ...{ JWT_ALGORITHM: 'RS256', JWT_PRIVATE_KEY: privateKey, JWT_PUBLIC_KEY: publicKey },
    });
    const browser = new Browser(url, origin);
    const account = newAccount();
    expect((await browser.post('/api/auth/signup', account)).status).toBe(201);
    await expect.poll(() => mails.received.length).toBe(1);
    const [mail] = mails.received;
    expect(mail).toMatchObject({ from: 'no-reply@tracker.example', to: [account.email] });
    const [, token] = /https:\/\/tracker\.example\/verify\?token=([\w-]{43})/.exec(mail!.decoded) ?? [];
    expect((await browser.post('/api/auth/verify-email', { token })).status).toBe(200);
    expect((await browser.get('/dev/outbox')).status).toBe(404);
    await browser.post('/api/auth/change-password', { currentPassword: password, newPassword: next });
    await expect.poll(() => mails.received.length).toBe(2);
    expect(mails.received[1]).toMatchObject({ to: [account.email], decoded: expect.stringMatching(/password/i) });
  });

  it('waits for the mails in flight when it stops', async () => {
    const taken = Promise.withResolvers<void>();
    const mails = await startMailServer({
      // Slow enough to be under way when the stop begins.
      onRcptTo: (_address, _session, done) => {
        taken.resolve();
        setTimeout(done, 300);
      },
    });
    const { privateKey, publicKey } = makeRsaPair();
    const origin = 'https://tracker.example';
    const demo = await startDemo({
      folder: makeFolder(),
      variables: {
        ...{ NODE_ENV: 'production', BASE_URL: origin, SMTP_URL: mails.url, ENCRYPTION_KEY: crypto.randomUUID() },
        ...{ JWT_ALGORITHM: 'RS256', JWT_PRIVATE_KEY: privateKey, JWT_PUBLIC_KEY: publicKey },
      },
    });
    const account = newAccount();
    expect((await new Browser(demo.origin, origin).post('/api/auth/signup', account)).status).toBe(201);
    await taken.promise;
    expect(mails.received).toEqual([]);
    expect(await demo.stop()).toEqual({ code: 0, signal: null });
    expect(mails.received).toMatchObject([{ to: [account.email] }]);
  });

  it('starts and serves without a mail server, and drops the mails', async () => {
    const { privateKey, publicKey } = makeRsaPair();
    const origin = 'https://tracker.example';
    const url = await startHere({
      ...{ NODE_ENV: 'production', BASE_URL: origin },
      ...{ JWT_ALGORITHM: 'RS256', JWT_PRIVATE_KEY: privateKey, JWT_PUBLIC_KEY: publicKey },
    });
    const browser = new Browser(url, origin);
    const account = newAccount();
    expect((await browser.post('/api/auth/signup', account)).status).toBe(201);
    expect((await browser.post('/api/auth/forgot-password', { email: account.email })).text).toBe('{"ok":true}');
    expect((await browser.post('/api/auth/signin', { ...account, password })).status).toBe(200);
  });
});
