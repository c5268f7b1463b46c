import type { AuthOptions } from '@x/auth';
import { CodedError } from '@x/errors';
import { describe, expect, it, vi } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

type Created = NonNullable<AuthOptions['onUserCreated']>;
type Proven = NonNullable<AuthOptions['onEmailProven']>;

describe.each(engines)('account hooks on %s', (engine) => {
  it('run onUserCreated in the transaction of the sign-up, before any request can see the user', async () => {
    const seen: unknown[] = [];
    const onUserCreated: Created = async ({ user }, { stores }) => {
      seen.push(user.email, (await stores.users.findById(user.id as never)) !== null);
      seen.push(await test.server.stores.users.findByLoginEmail(ada.email));
      await stores.counters.add('created', 1);
    };
    const test = await createTestServer({ engine, auth: { onUserCreated } });
    expect((await test.client().post('/api/auth/signup', ada)).status).toBe(201);
    expect(seen).toEqual([ada.email, true, null]);
    expect(await test.server.stores.counters.read('created')).toBe(1);
  });

  it('undo a sign-up when they fail, and pass a CodedError on to the caller', async () => {
    const onUserCreated = vi
      .fn<Created>()
      .mockImplementationOnce(async (_, { stores }) => {
        await stores.counters.add('created', 1);
        throw new Error('the app fails');
      })
      .mockImplementationOnce(() => {
        throw new CodedError('FORBIDDEN', 'By invitation only.');
      });
    const mailbox = createMailbox();
    const { server, client } = await createTestServer({ engine, auth: { ...mailbox.auth, onUserCreated } });
    // Not the server's own client, which expects the errors of the OpenAPI document: it can't know the app's.
    const anyClient = new TestClient('http://localhost:3000', (request) => server.fetch(request));
    const [failed, refused] = [
      await anyClient.post('/api/auth/signup', ada),
      await anyClient.post('/api/auth/signup', ada),
    ];
    expect([refusalOf(failed), refusalOf(refused)]).toEqual(['INTERNAL_ERROR', 'FORBIDDEN']);
    expect([failed, refused].flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
    expect(failed.text).not.toContain('the app fails');
    expect(await server.stores.users.findByLoginEmail(ada.email)).toBeNull();
    expect(await server.stores.counters.read('created')).toBe(0);
    await server.auth.drain();
    expect(mailbox.mails).toEqual([]);
    expect((await client().post('/api/auth/signup', ada)).status).toBe(201);
  });

  it('run onEmailProven once, in the transaction that proves the address', async () => {
    const onEmailProven = vi.fn<Proven>().mockImplementationOnce(() => {
      throw new Error('the app fails');
    });
    const mailbox = createMailbox();
    const test = await createTestServer({ engine, auth: { ...mailbox.auth, onEmailProven } });
    const { client, server } = test;
    await client().post('/api/auth/signup', ada);
    const token = await mailbox.lastToken(test, 'verification', ada.email);
    const verify = () => client().post('/api/auth/verify-email', { token, password: ada.password });
    expect(refusalOf(await verify())).toBe('INTERNAL_ERROR');
    expect(await server.stores.users.findByLoginEmail(ada.email)).toMatchObject({ emailVerified: false });
    expect((await verify()).status).toBe(200);
    expect(onEmailProven.mock.lastCall?.[0]).toMatchObject({ email: ada.email, emailVerified: true });
    await client().post('/api/auth/forgot-password', { email: ada.email });
    const reset = await mailbox.lastToken(test, 'reset', ada.email);
    await client().post('/api/auth/reset-password', { token: reset, password: 'another horse battery' });
    expect(onEmailProven).toHaveBeenCalledTimes(2);
  });

  it('run onEmailProven for an address that a user changed to', async () => {
    const onEmailProven = vi.fn<Proven>();
    const mailbox = createMailbox();
    const test = await createTestServer({ engine, auth: { ...mailbox.auth, onEmailProven } });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    await browser.post('/api/auth/change-email', { email: 'new@example.com', password: ada.password });
    const token = await mailbox.lastToken(test, 'verification', 'new@example.com');
    await browser.post('/api/auth/verify-email', { token });
    expect(onEmailProven.mock.calls.map(([user]) => user.email)).toEqual(['new@example.com']);
  });
});
