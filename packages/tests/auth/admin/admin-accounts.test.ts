import type { AuthOptions } from '@x/auth';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { addUser } from '../../support/add-user.ts';
import { createMailbox } from '../../support/mailbox.ts';
import { createOAuthServer, locationOf, signInBy } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const exists = { ok: false, error: { code: 'USER_EXISTS' } };
const invalid = { ok: false, error: { code: 'VALIDATION_FAILED' } };

async function startServer(engine: (typeof engines)[number], auth: Partial<AuthOptions> = {}) {
  const mailbox = createMailbox();
  const onUserCreated = vi.fn<NonNullable<AuthOptions['onUserCreated']>>();
  const onAccountReclaimed = vi.fn<NonNullable<AuthOptions['onAccountReclaimed']>>();
  const hooks = { onUserCreated, onAccountReclaimed };
  const test = await createOAuthServer({ engine, auth: { ...mailbox.auth, ...hooks, ...auth } });
  const { admin } = test.server.auth;
  /** The events of a user, with who acted, in no order of time. */
  const eventsOf = async (userId: string): Promise<readonly string[]> => {
    const found = await admin.listEvents({ userId });
    if (!found.ok) return [];
    const named = found.value.items.map(
      ({ type, detail }) => `${type} by ${detail['actor'] === undefined ? 'owner' : JSON.stringify(detail['actor'])}`,
    );
    return named.toSorted((a, b) => (a < b ? -1 : 1));
  };
  return { ...test, ...hooks, admin, mailbox, eventsOf };
}

describe.each(engines)('auth.admin on %s', (engine) => {
  it('creates a user who can sign in, and starts no session', async () => {
    const { admin, client, server, onUserCreated, mailbox, eventsOf } = await startServer(engine);
    const created = await admin.createUser({ ...ada, email: 'Ada@Example.com', role: 'editor' }, { actor: 'root' });
    expect(created).toMatchObject({ ok: true, value: { email: ada.email, role: 'editor', emailVerified: false } });
    const id = created.ok ? created.value.id : '';
    expect(await server.stores.sessions.listActive(id as never)).toEqual([]);
    expect((await client().post('/api/auth/signin', ada)).body.user).toMatchObject({ id, role: 'editor' });
    expect(onUserCreated.mock.calls).toMatchObject([[{ user: { id }, provider: null }, {}]]);
    await server.auth.drain();
    expect(mailbox.mails).toEqual([]);
    expect(await eventsOf(id)).toEqual(['sign_in.succeeded by owner', 'user.created by "root"']);
    expect(await admin.createUser(ada)).toMatchObject(exists);
  });

  it('refuses to create accounts that sign-up would refuse, and stores nothing', async () => {
    const userFields = { nickname: { schema: z.string().max(5) } };
    const { admin, server } = await startServer(engine, { userFields });
    const inputs = [
      { email: 'no address' },
      { email: ada.email, password: 'short' },
      { email: ada.email, password: 'password1' },
      { email: ada.email, role: ' ' },
      { email: ada.email, fields: { nickname: 'too long' } },
      { email: ada.email, fields: { other: 1 } },
      { email: ada.email, passwordHash: 'x' },
      { email: ada.email, id: 'mine' },
      null,
    ];
    for (const input of inputs) expect(await admin.createUser(input as never)).toMatchObject(invalid);
    expect((await server.stores.users.list({ limit: 9, after: null })).items).toEqual([]);
    const fields = { nickname: 'Ada' } as never;
    expect(await admin.createUser({ email: ada.email, fields, emailVerified: true })).toMatchObject({
      value: { nickname: 'Ada', emailVerified: true, emailProvenAt: null },
    });
  });

  it('undoes the creation if the hook throws', async () => {
    const { admin, server, onUserCreated } = await startServer(engine);
    onUserCreated.mockImplementationOnce(() => {
      throw new Error('the app fails');
    });
    await expect(admin.createUser({ email: ada.email })).rejects.toThrow('the app fails');
    expect(await server.stores.users.findByLoginEmail(ada.email)).toBeNull();
  });

  it('invites a user, who accepts by setting a password, and keeps the role and fields of the invitation', async () => {
    const { admin, client, server, clock, mailbox, onAccountReclaimed, eventsOf } = await startServer(engine);
    const invited = await admin.inviteUser({ email: ada.email, role: 'editor' }, { actor: 'root' });
    const id = invited.ok ? invited.value.id : '';
    await server.auth.drain();
    expect(mailbox.mails).toMatchObject([{ kind: 'reset', to: ada.email, isInvitation: true, identities: [] }]);
    expect(refusalOf(await client().post('/api/auth/signin', ada))).toBe('INVALID_CREDENTIALS');
    const first = mailbox.mails[0]?.token;

    expect(await admin.inviteUser({ email: ada.email })).toMatchObject({ ok: true, value: { id, role: 'editor' } });
    const token = await mailbox.lastToken({ server }, 'reset', ada.email);
    clock.advance(7 * 86_400_000 - 1);
    const accept = (used = token) => client().post('/api/auth/reset-password', { token: used, password: ada.password });
    expect(refusalOf(await accept(first))).toBe('TOKEN_INVALID');
    expect((await accept()).status).toBe(200);
    expect(onAccountReclaimed).not.toHaveBeenCalled();
    expect((await client().post('/api/auth/signin', ada)).body.user).toMatchObject({
      role: 'editor',
      emailVerified: true,
    });
    expect(await admin.inviteUser({ email: ada.email })).toMatchObject(exists);
    expect(await eventsOf(id)).toEqual([
      'email.verified by owner',
      'password.reset by owner',
      'password_reset.requested by "root"',
      'password_reset.requested by owner',
      'sign_in.failed by owner',
      'sign_in.succeeded by owner',
      'user.created by "root"',
    ]);
  });

  it('gives a user who waits the role and the fields of a later invitation, and tells so in the log', async () => {
    const userFields = { nickname: { schema: z.string().max(20) }, credits: { schema: z.int().default(10) } };
    const { admin, server, eventsOf } = await startServer(engine, { userFields });
    const first = await admin.inviteUser({ email: ada.email, role: 'editor', fields: { nickname: 'Ada' } });
    const id = first.ok ? first.value.id : '';
    const later = await admin.inviteUser(
      { email: ada.email, role: 'admin', fields: { credits: 20 } },
      { actor: 'root' },
    );
    expect(later).toMatchObject({ ok: true, value: { id, role: 'admin', nickname: 'Ada', credits: 20 } });
    expect(await admin.inviteUser({ email: ada.email, role: 'admin' })).toMatchObject({ value: { id, role: 'admin' } });
    expect(await admin.inviteUser({ email: ada.email, role: ' ' })).toMatchObject(invalid);
    expect(await admin.inviteUser({ email: ada.email, fields: { other: 1 } })).toMatchObject(invalid);
    await server.auth.drain();
    const kinds = (await eventsOf(id)).filter((event) => /role_changed|updated/.test(event));
    expect(kinds).toEqual(['user.role_changed by "root"', 'user.updated by "root"']);
  });

  it('lets an invited user accept by a trusted provider, and not by another one', async () => {
    const { admin, client, fake, onAccountReclaimed } = await startServer(engine);
    const invited = await admin.inviteUser({ email: ada.email });
    const id = invited.ok ? invited.value.id : '';
    const idOf = async (provider: string, person: object): Promise<unknown> => {
      const browser = client();
      expect(locationOf(await signInBy({ client: browser, fake }, provider, { ...person, email: ada.email }))).toBe(
        '/',
      );
      return ((await browser.get('/api/auth/session')).body.session as unknown as { user: { id: string } }).user.id;
    };
    expect(await idOf('github', { id: 1 })).not.toBe(id);
    expect(await idOf('google', { sub: 'g-1', email_verified: true })).toBe(id);
    expect(onAccountReclaimed).not.toHaveBeenCalled();
    expect(await admin.inviteUser({ email: ada.email })).toMatchObject(exists);
  });

  it('refuses invitations beyond ten an hour to one address, and those to disabled users', async () => {
    const { admin, server } = await startServer(engine);
    const user = await addUser(server, { email: ada.email });
    for (let sent = 0; sent < 9; sent += 1)
      expect(await admin.inviteUser({ email: ada.email })).toMatchObject({ ok: true });
    await admin.disableUser(user.id);
    expect(await admin.inviteUser({ email: ada.email })).toMatchObject(exists);
    expect(await admin.inviteUser({ email: ada.email })).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
  });

  it('does not invite where passwords are not reset', async () => {
    const { server } = await createTestServer({ engine });
    expect(await server.auth.admin.inviteUser({ email: ada.email })).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect((await server.stores.users.list({ limit: 9, after: null })).items).toEqual([]);
  });

  it('sets a password, ends the sessions, voids mailed tokens, and tells the owner', async () => {
    const { admin, client, server, mailbox, eventsOf } = await startServer(engine);
    const browser = client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    await browser.post('/api/auth/forgot-password', { email: ada.email });
    const token = await mailbox.lastToken({ server }, 'reset', ada.email);
    expect(await admin.setPassword(id, 'short')).toMatchObject(invalid);
    expect(await admin.setPassword(id, 7 as never)).toMatchObject(invalid);
    expect(await admin.setPassword('nobody', 'another fine one')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);

    expect(await admin.setPassword(id, 'another fine one', { actor: 'root' })).toMatchObject({
      ok: true,
      value: { id },
    });
    expect(refusalOf(await browser.post('/api/auth/refresh'))).toBe('SESSION_EXPIRED');
    expect(refusalOf(await client().post('/api/auth/signin', ada))).toBe('INVALID_CREDENTIALS');
    expect((await client().post('/api/auth/signin', { ...ada, password: 'another fine one' })).status).toBe(200);
    const reset = { token, password: 'a third fine one' };
    expect(refusalOf(await client().post('/api/auth/reset-password', reset))).toBe('TOKEN_INVALID');
    await server.auth.drain();
    expect(mailbox.mails.filter(({ kind }) => kind === 'notice').map(({ change }) => change)).toEqual([
      'password.changed',
    ]);
    expect(await eventsOf(id)).toContainEqual('password.changed by "root"');
  });

  it('finds users by how their address starts', async () => {
    const { admin, server } = await startServer(engine);
    for (const email of ['grace@example.com', 'ada@example.com', 'adam@example.com']) await addUser(server, { email });
    const found = async (query: object): Promise<unknown> => {
      const result = await admin.searchUsers(query as never);
      return result.ok ? result.value.map(({ email }) => email) : result.error.code;
    };
    expect(await found({ email: ' ADA' })).toEqual(['ada@example.com', 'adam@example.com']);
    expect(await found({ email: 'ada', limit: 1 })).toEqual(['ada@example.com']);
    expect(await found({ email: '' })).toHaveLength(3);
    expect(await found({ email: 'a\0' })).toEqual([]);
    for (const wrong of [{ email: 7 }, {}, { email: 'a', limit: 0 }]) {
      expect(await found(wrong)).toBe('INVALID_QUERY');
    }
  });
});
