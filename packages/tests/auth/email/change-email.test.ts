import { describe, expect, it } from 'vitest';
import { createMailbox, type Mailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { isValidJwt } from '../../support/refresh-tokens.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const newEmail = 'lovelace@example.com';
const path = '/api/auth/change-email';

interface Changing extends TestServer, Mailbox {
  readonly browser: TestClient;
  readonly change: (email: unknown, password?: unknown) => Promise<TestResponse>;
  readonly verify: (token: string) => Promise<TestResponse>;
}

async function signedUp(engine: (typeof engines)[number]): Promise<Changing> {
  const mailbox = createMailbox();
  const test = await createTestServer({ engine, auth: mailbox.auth });
  const browser = test.client();
  await browser.post('/api/auth/signup', ada);
  return {
    ...{ ...test, ...mailbox, browser },
    change: (email, password = ada.password) => browser.post(path, { email, password }),
    verify: (token) => test.client().post('/api/auth/verify-email', { token }),
  };
}

describe.each(engines)(`POST ${path} on %s`, (engine) => {
  it('changes the address when the new one is verified, and not before', async () => {
    const { browser, change, client, lastToken, server, verify, ...test } = await signedUp(engine);
    const before = browser.cookies.get('app.sid')!;
    expect((await change(' Lovelace@Example.com ')).text).toBe('{"ok":true}');
    const token = await lastToken({ server }, 'verification', newEmail);
    expect((await client().post('/api/auth/signin', ada)).status).toBe(200);
    expect((await client().post('/api/auth/signin', { ...ada, email: newEmail })).status).toBe(401);
    expect((await verify(token)).status).toBe(200);
    expect((await client().post('/api/auth/signin', ada)).status).toBe(401);
    const signedIn = await client().post('/api/auth/signin', { ...ada, email: newEmail });
    expect(signedIn.body.user).toMatchObject({ email: newEmail, emailVerified: true });
    expect(await isValidJwt({ client }, before), 'a JWT that names the old address').toBe(false);
    expect((await browser.post('/api/auth/refresh')).body.user).toMatchObject({ email: newEmail });
    expect(refusalOf(await verify(token))).toBe('TOKEN_INVALID');
    expect(test.mails.map(({ kind, to }) => [kind, to])).toContainEqual(['notice', ada.email]);
  });

  it('responds the same and notifies the old address if another user has the new one, which gets no mail', async () => {
    const { change, client, mails, server } = await signedUp(engine);
    await client().post('/api/auth/signup', { ...ada, email: newEmail });
    await server.auth.drain();
    const before = mails.length;
    const [taken, free] = [await change(newEmail), await change('free@example.com')];
    expect([taken.status, taken.text]).toEqual([free.status, free.text]);
    await server.auth.drain();
    expect(mails.slice(before).map(({ kind, to }) => [kind, to])).toEqual(
      expect.arrayContaining([
        ['notice', ada.email],
        ['verification', 'free@example.com'],
        ['notice', ada.email],
      ]),
    );
    expect(mails.slice(before)).toHaveLength(3);
  });

  it('invalidates the token if another user takes the address meanwhile', async () => {
    const { change, client, lastToken, server, verify } = await signedUp(engine);
    await change(newEmail);
    const token = await lastToken({ server }, 'verification', newEmail);
    await client().post('/api/auth/signup', { ...ada, email: newEmail });
    expect(refusalOf(await verify(token))).toBe('TOKEN_INVALID');
    expect((await client().post('/api/auth/signin', ada)).status).toBe(200);
  });

  it('invalidates the tokens that were mailed to the old address', async () => {
    const { change, client, lastToken, server, verify } = await signedUp(engine);
    await client().post('/api/auth/forgot-password', { email: ada.email });
    const reset = await lastToken({ server }, 'reset', ada.email);
    const first = await lastToken({ server }, 'verification', ada.email);
    await change(newEmail);
    expect(refusalOf(await verify(first))).toBe('TOKEN_INVALID');
    await verify(await lastToken({ server }, 'verification', newEmail));
    const input = { token: reset, password: 'another horse battery' };
    expect(refusalOf(await client().post('/api/auth/reset-password', input))).toBe('TOKEN_INVALID');
  });

  it('requires a session, a valid address and the right password', async () => {
    const { change, client, mails, server } = await signedUp(engine);
    await server.auth.drain();
    const before = mails.length;
    expect(refusalOf(await client().post(path, { email: newEmail, password: ada.password }))).toBe('UNAUTHENTICATED');
    for (const email of ['none', '', null, [newEmail], 'a@b@c.example']) {
      expect(refusalOf(await change(email))).toBe('VALIDATION_FAILED');
    }
    expect(refusalOf(await change(newEmail, ''))).toBe('INVALID_CREDENTIALS');
    expect(refusalOf(await change(newEmail, 'wrong horse battery'))).toBe('INVALID_CREDENTIALS');
    expect(refusalOf(await change(newEmail, null))).toBe('VALIDATION_FAILED');
    await server.auth.drain();
    expect(mails).toHaveLength(before);
  });

  it("verifies again if the address is already the account's, and reports no change", async () => {
    const { browser, change, client, lastToken, mails, server, verify } = await signedUp(engine);
    const before = browser.cookies.get('app.sid')!;
    expect((await change(' ADA@example.com')).text).toBe('{"ok":true}');
    expect((await verify(await lastToken({ server }, 'verification', ada.email))).status).toBe(200);
    expect(mails.map(({ kind }) => kind)).not.toContain('notice');
    const { items } = (await browser.get('/api/auth/events')).body;
    const types = items.map(({ type }) => type);
    expect(types).toContain('email.verified');
    for (const type of ['email_change.requested', 'email.changed']) expect(types).not.toContain(type);
    expect(await isValidJwt({ client }, before)).toBe(true);
  });

  it('counts towards the limit of all routes that check the password', async () => {
    const { change } = await signedUp(engine);
    for (let count = 0; count < 10; count += 1) await change(newEmail, 'wrong horse battery');
    expect(refusalOf(await change(newEmail))).toBe('RATE_LIMITED');
  });

  it('gives an address to one of two users who verify it at once', async () => {
    const { change, client, lastToken, server, verify } = await signedUp(engine);
    const other = client();
    await other.post('/api/auth/signup', { ...ada, email: 'other@example.com' });
    await change(newEmail);
    const first = await lastToken({ server }, 'verification', newEmail);
    await other.post(path, { email: newEmail, password: ada.password });
    const second = await lastToken({ server }, 'verification', newEmail);
    const responses = await Promise.all([verify(first), verify(second)]);
    expect(responses.map(({ status }) => String(status)).toSorted()).toEqual(['200', '400']);
  });
});
