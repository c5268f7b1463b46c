import { describe, expect, it } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { createOAuthServer, locationOf, signInBy } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { engines } from '../../support/test-server.ts';

const ada = { id: 1, email: 'ada@example.com' };
const password = 'correct horse battery';
const credentials = { email: ada.email, password };

describe.each(engines)('the first password of an account by a provider on %s', (engine) => {
  it('is refused until its address is one to sign in with, where the provider is not trusted', async () => {
    const mailbox = createMailbox();
    const { client, fake, server } = await createOAuthServer({ engine, auth: mailbox.auth });
    const browser = client();
    expect(locationOf(await signInBy({ client: browser, fake }, 'github', ada))).toBe('/');
    const first = { newPassword: password };
    const refused = await browser.post('/api/auth/change-password', first);
    expect([refused.status, refusalOf(refused)]).toEqual([403, 'EMAIL_NOT_VERIFIED']);
    const { session } = (await browser.get('/api/auth/session')).body;
    const { id } = (session as unknown as { user: { id: string } }).user;
    const byOperator = await server.auth.admin.setPassword(id, password);
    expect(byOperator).toMatchObject({ ok: false, error: { code: 'EMAIL_NOT_VERIFIED' } });
    expect((await server.stores.users.findById(id as never))?.passwordHash).toBeNull();

    await browser.post('/api/auth/change-email', { email: ada.email });
    const token = await mailbox.lastToken({ server }, 'verification', ada.email);
    expect((await browser.post('/api/auth/verify-email', { token })).status).toBe(200);
    await browser.post('/api/auth/refresh');
    expect((await browser.post('/api/auth/change-password', first)).status).toBe(200);
    expect((await client().post('/api/auth/signin', credentials)).body.user).toMatchObject({ id });
  });

  it('is taken where a trusted provider has proven the address, also while sign-up hides who has an account', async () => {
    const mailbox = createMailbox();
    const emailVerification = { enabled: true, genericSignUp: true, onSend: () => {} };
    const { client, fake } = await createOAuthServer({ engine, auth: { ...mailbox.auth, emailVerification } });
    const browser = client();
    const trusted = { sub: 'g-1', email: ada.email, email_verified: true };
    expect(locationOf(await signInBy({ client: browser, fake }, 'google', trusted))).toBe('/');
    expect((await browser.post('/api/auth/change-password', { newPassword: password })).status).toBe(200);
    expect((await client().post('/api/auth/signin', credentials)).status).toBe(200);
  });
});
