import type { AuthAdmin } from '@x/auth';
import type { Server } from '@x/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addUser } from '../../support/add-user.ts';
import { hostileStrings } from '../../support/hostile-strings.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const nobody = '00000000-0000-4000-8000-000000000000';
const notFound = { ok: false, error: { code: 'NOT_FOUND', message: 'There is no such user.' } };

/** Every operation that takes the id of a user. */
const verbs: Readonly<Record<string, (admin: AuthAdmin, id: string) => Promise<unknown>>> = {
  findUser: (admin, id) => admin.findUser({ id }),
  disableUser: (admin, id) => admin.disableUser(id),
  enableUser: (admin, id) => admin.enableUser(id),
  setRole: (admin, id) => admin.setRole(id, 'editor'),
  signOutUser: (admin, id) => admin.signOutUser(id),
  setPassword: (admin, id) => admin.setPassword(id, 'another fine one'),
};

/** Values that are not texts, as an app without types might pass them on. */
const noTexts = [undefined, null, 0, Number.NaN, true, {}, [], ['x'], { $ne: null }, Symbol('x'), () => 'x'] as const;

/** Loads all pages of a list. */
async function walk(server: Server, limit: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const page = await server.auth.admin.listUsers({ limit, after });
    if (!page.ok) throw new Error(page.error.message);
    const { items, nextCursor } = page.value;
    expect(items.length).toBeLessThanOrEqual(limit);
    ids.push(...items.map(({ id }) => id));
    after = nextCursor;
  } while (after !== null);
  return ids;
}

describe.each(engines)('auth.admin on %s', (engine) => {
  it.each(Object.keys(verbs))(
    'fails %s with NOT_FOUND for an unknown or impossible id, and changes nothing',
    async (verb) => {
      const { server } = await createTestServer({ engine });
      const user = await addUser(server, { email: ada.email });
      for (const id of [
        '',
        nobody,
        ada.email,
        `${user.id} `,
        user.id.toUpperCase(),
        `${user.id}\0`,
        ...hostileStrings,
      ]) {
        expect(await verbs[verb]!(server.auth.admin, id)).toEqual(notFound);
      }
      for (const id of noTexts) expect(await verbs[verb]!(server.auth.admin, id as string)).toEqual(notFound);
      expect(await server.stores.users.findById(user.id)).toEqual(user);
      const { items } = await server.stores.events.listByUser(user.id, { limit: 10, after: null });
      expect(items.map(({ type }) => type)).toEqual(['user.created']);
    },
  );

  it('finds a user by id and by any spelling of the address', async () => {
    const { server, clock } = await createTestServer({ engine });
    const { admin } = server.auth;
    const user = await addUser(server, {
      email: ada.email,
      passwordHash: '$argon2id$x',
      role: 'editor',
      tenantId: 'acme',
    });
    const { id } = user;
    const found = {
      ...{ id, email: ada.email, emailVerified: true, role: 'editor', tenantId: 'acme', createdAt: clock.now() },
      ...{ updatedAt: clock.now(), disabledAt: null, emailProvenAt: null },
    };
    for (const query of [
      { id },
      { email: ada.email },
      { email: ' ADA@Example.COM' },
      { email: 'ａｄａ@example.com' },
    ]) {
      expect(await admin.findUser(query)).toEqual({ ok: true, value: found, data: found });
    }
    for (const email of [...hostileStrings, ...noTexts, '', 'ada@example.co', 'ada＠example.com']) {
      expect(await admin.findUser({ email: email as string })).toEqual(notFound);
    }
    expect(await admin.findUser({} as { id: string })).toEqual(notFound);
  });

  it('finds no user by an address that its user does not sign in with', async () => {
    const { server } = await createTestServer({ engine });
    const user = await addUser(server, { email: ada.email, loginEmail: null });
    expect(await server.auth.admin.findUser({ email: ada.email })).toEqual(notFound);
    expect(await server.auth.admin.findUser({ id: user.id })).toMatchObject({ value: { email: ada.email } });
  });

  it('shows neither the password hash nor a field that the app hides', async () => {
    const userFields = { nickname: { schema: z.string() }, note: { schema: z.string(), public: false, signUp: true } };
    const { server, client } = await createTestServer({ engine, auth: { userFields } });
    const { admin } = server.auth;
    await client().post('/api/auth/signup', { ...ada, nickname: 'Countess', note: 'hidden text' });
    const found = await admin.findUser({ email: ada.email });
    if (!found.ok) throw new Error(found.error.message);
    const { id } = found.value;
    expect(found.value).toMatchObject({ nickname: 'Countess' });
    const shown = [found, await admin.listUsers(), await admin.disableUser(id), await admin.enableUser(id)];
    expect(JSON.stringify([...shown, await admin.setRole(id, 'x')])).not.toMatch(
      /hidden text|argon2|passwordHash|loginEmail/,
    );
  });

  it('lists each of many users who were created at the same moment once, at any page size', async () => {
    const { server, clock } = await createTestServer({ engine });
    expect(await server.auth.admin.listUsers()).toMatchObject({ ok: true, value: { items: [], nextCursor: null } });
    const created: string[] = [];
    for (let count = 0; count < 120; count += 1) {
      created.push((await addUser(server, { email: `user${count}@example.com` })).id);
    }
    for (const limit of [1, 7, 40, 60, 100]) {
      const ids = await walk(server, limit);
      expect(ids).toHaveLength(120);
      expect(new Set(ids)).toEqual(new Set(created));
    }
    expect(await server.auth.admin.listUsers()).toHaveProperty('value.items.length', 20);
    clock.advance(1);
    const newest = await addUser(server, { email: 'newest@example.com' });
    expect((await walk(server, 50))[0]).toBe(newest.id);
  });

  it('continues a list of users from its cursor even if users are added meanwhile', async () => {
    const { server, clock } = await createTestServer({ engine });
    const add = async (email: string): Promise<string> => (await addUser(server, { email })).id;
    const old = [await add('a@example.com'), await add('b@example.com'), await add('c@example.com')];
    const first = await server.auth.admin.listUsers({ limit: 2 });
    if (!first.ok) throw new Error(first.error.message);
    clock.advance(1);
    await add('d@example.com');
    const second = await server.auth.admin.listUsers({ limit: 2, after: first.value.nextCursor });
    if (!second.ok) throw new Error(second.error.message);
    const ids = [...first.value.items, ...second.value.items].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(old.toSorted());
    expect(second.value.nextCursor).toBeNull();
  });

  it.each([
    ...[0, -1, 101, 1.5, 1e9, Number.NaN, Infinity, null, '20', [20], {}].map((limit) => ({ limit })),
    ...['', 'x', '.', '1', '1.', '.x', 'x.y.z', "1.' OR 1=1", '1.a\0', 'zzzzzzzzzzz.a', 5, {}, ['1.a']].map(
      (after) => ({ after }),
    ),
  ])('refuses the query of listUsers and listEvents %j with INVALID_QUERY', async (query) => {
    const { server } = await createTestServer({ engine });
    const page = query as { readonly limit: number };
    const invalid = { ok: false, error: { code: 'INVALID_QUERY' } };
    expect(await server.auth.admin.listUsers(page)).toMatchObject(invalid);
    expect(await server.auth.admin.listEvents({ ...page, userId: nobody })).toMatchObject(invalid);
    expect(await server.auth.admin.listEvents({ ...page, tenantId: 'acme' })).toMatchObject(invalid);
  });
});
