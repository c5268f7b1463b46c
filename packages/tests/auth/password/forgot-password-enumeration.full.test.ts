import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const hour = 3_600_000;

/** Addresses to request a reset for, by the account behind them. */
const emails = {
  known: ada.email,
  unknown: 'nobody@example.com',
  withoutPassword: 'oauth@example.com',
  disabled: 'disabled@example.com',
  foreign: 'contact@example.com',
  noAddress: 'not an address',
  empty: '',
  long: 'x'.repeat(100_000),
  hostile: "' OR 1=1 --\0\ud800",
};

describe.each(engines)('POST /api/auth/forgot-password on %s', (engine) => {
  it('returns the same body and headers for every text', async () => {
    const mailbox = createMailbox();
    const { server, client } = await createTestServer({ engine, auth: mailbox.auth });
    await client().post('/api/auth/signup', ada);
    await addUser(server, { email: emails.withoutPassword });
    const { id } = await addUser(server, { email: emails.disabled });
    await addUser(server, { email: emails.foreign, loginEmail: null });
    await server.auth.admin.disableUser(id);
    const port = await serve(server);
    const visible = [];
    for (const email of Object.values(emails)) {
      for (let count = 0; count < 5; count += 1) {
        const response = await exchange(
          port,
          encodeRequest('POST /api/auth/forgot-password', { body: JSON.stringify({ email }) }),
        );
        for (const name of ['x-request-id', 'date']) response.headers.delete(name);
        visible.push({ status: response.status, text: response.text, headers: [...response.headers] });
      }
    }
    for (const response of visible) expect(response).toEqual(visible[0]);
    expect(visible[0]).toMatchObject({ status: 200, text: '{"ok":true}' });
    await server.auth.drain();
    const resets = mailbox.mails.filter(({ kind }) => kind === 'reset').map(({ to }) => to);
    expect(resets.toSorted()).toEqual([
      ...Array<string>(3).fill(ada.email),
      ...Array<string>(3).fill(emails.withoutPassword),
    ]);
  });

  it('looks the account up after the response, and takes the same steps before it', async () => {
    const { server, client } = await createTestServer({ engine, auth: createMailbox().auth });
    await client().post('/api/auth/signup', ada);
    await server.auth.drain();
    const gate = Promise.withResolvers<void>();
    const findByLoginEmail = server.stores.users.findByLoginEmail.bind(server.stores.users);
    const find = vi.spyOn(server.stores.users, 'findByLoginEmail').mockImplementation(async (email) => {
      await gate.promise;
      return findByLoginEmail(email);
    });
    const [check, transaction] = [vi.spyOn(server.stores.rateLimits, 'check'), vi.spyOn(server.stores, 'transaction')];
    for (const email of [emails.known, emails.unknown, emails.noAddress]) {
      for (const spy of [check, transaction]) spy.mockClear();
      expect((await client().post('/api/auth/forgot-password', { email })).status).toBe(200);
      expect([check, transaction].map((spy) => spy.mock.calls.length)).toEqual([1, 0]);
    }
    gate.resolve();
    await server.auth.drain();
    expect(find).toHaveBeenCalledTimes(2);
    expect(transaction).toHaveBeenCalledTimes(1);
  });

  it('begins nothing slow before the response is sent', async () => {
    const { server, client } = await createTestServer({ engine, auth: createMailbox().auth });
    await client().post('/api/auth/signup', ada);
    await server.auth.drain();
    const find = vi.spyOn(server.stores.users, 'findByLoginEmail');
    const emails = await server.auth.api.forgotPassword({ email: ada.email });
    // The response is written now, and sent within some turns of the event loop.
    for (let turns = 0; turns < 3; turns += 1) await nextTurn();
    expect([emails.ok, find.mock.calls.length]).toEqual([true, 0]);
    await server.auth.drain();
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('mails three times an hour for one address, in all its spellings, and does not reveal that', async () => {
    const mailbox = createMailbox();
    const { server, client, clock } = await createTestServer({ engine, auth: mailbox.auth });
    await client().post('/api/auth/signup', ada);
    const resets = async (): Promise<number> => {
      await server.auth.drain();
      return mailbox.mails.filter(({ kind }) => kind === 'reset').length;
    };
    for (const email of [ada.email, ada.email.toUpperCase(), ` ${ada.email}`, ada.email, 'ａda@example.com']) {
      expect((await client().post('/api/auth/forgot-password', { email })).status).toBe(200);
    }
    expect(await resets()).toBe(3);
    clock.advance(hour - 1);
    await client().post('/api/auth/forgot-password', { email: ada.email });
    expect(await resets()).toBe(3);
    clock.advance(1);
    await client().post('/api/auth/forgot-password', { email: ada.email });
    expect(await resets()).toBe(4);
  });

  it('refuses an address that is not a string', async () => {
    const { client } = await createTestServer({ engine, auth: createMailbox().auth });
    for (const email of [[ada.email], { email: ada.email }, 1, null, undefined]) {
      expect(refusalOf(await client().post('/api/auth/forgot-password', { email }))).toBe('VALIDATION_FAILED');
    }
    const extra = await client().post('/api/auth/forgot-password', { email: ada.email, userId: '1' });
    expect(refusalOf(extra)).toBe('VALIDATION_FAILED');
  });

  it('responds with 503 and mails nothing if the attempt cannot be counted', async () => {
    const mailbox = createMailbox();
    const { server, client } = await createTestServer({ engine, auth: mailbox.auth });
    vi.spyOn(server.stores.rateLimits, 'check').mockRejectedValue(new Error('away'));
    const response = await client().post('/api/auth/forgot-password', { email: ada.email });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    await server.auth.drain();
    expect(mailbox.mails).toEqual([]);
  });
});

it('responds before a mail that hangs or fails, and makes a closing server wait for it', async () => {
  const sending = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let isSent = false;
  const onSend = async (): Promise<void> => {
    begun.resolve();
    await sending.promise;
    isSent = true;
  };
  const { server, client } = await createTestServer({ auth: { passwordReset: { enabled: true, onSend } } });
  await client().post('/api/auth/signup', ada);
  expect((await client().post('/api/auth/forgot-password', { email: ada.email })).status).toBe(200);
  await begun.promise;
  const closed = server.close().then(() => isSent);
  sending.resolve();
  expect(await closed).toBe(true);
});

it('sends a token only after it is stored', async () => {
  const tokens: boolean[] = [];
  const mailbox = createMailbox();
  const auth = {
    passwordReset: {
      enabled: true,
      async onSend(_: unknown, token: string) {
        const response = await test
          .client()
          .post('/api/auth/reset-password', { token, password: 'another horse battery' });
        tokens.push(response.status === 200);
      },
    },
  };
  const test = await createTestServer({ auth: { ...mailbox.auth, ...auth } });
  await test.client().post('/api/auth/signup', ada);
  await test.client().post('/api/auth/forgot-password', { email: ada.email });
  await test.server.auth.drain();
  expect(tokens).toEqual([true]);
});
