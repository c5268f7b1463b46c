import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { UserId } from '../values.ts';
import { awkwardTexts, jsonObject } from './awkward-values.ts';
import { signUp, stored } from './sign-in.ts';
import type { StoreTest } from './store-test.ts';
import { describeUserPages } from './user-pages.suite.ts';

/** Describes what every user store does. */
export function describeUsers(it: StoreTest): void {
  describe('users', () => {
    describeCreation(it);
    describeContents(it);
    describeOwnCopies(it);
    describeUserPages(it);
  });
}

function describeCreation(it: StoreTest): void {
  it('a created user is found as it was returned', async ({ stores, records, clock }) => {
    const user = records.user();
    const created = await stores.users.create(user);
    expect(created).toEqual({ ...user, disabledAt: null, createdAt: clock.now(), updatedAt: clock.now() });
    expect(await stores.users.findById(user.id)).toEqual(created);
    expect(await stores.users.findByLoginEmail(user.email)).toEqual(created);
  });

  it('a user that nobody created is not found', async ({ stores, records }) => {
    await signUp(stores, records);
    expect(await stores.users.findById(records.userId())).toBeNull();
    expect(await stores.users.findByLoginEmail('nobody@example.com')).toBeNull();
  });

  it('nobody has an id that some engine cannot keep', async ({ stores }) => {
    for (const id of ['\0', 'a\0b', '\ud800'] as readonly string[] as readonly UserId[]) {
      expect(await stores.users.findById(id)).toBeNull();
      expect(await stores.transaction(({ users }) => users.lock(id))).toBeNull();
    }
  });

  it('several users are found at once, each once, and the missing left out', async ({ stores, records }) => {
    const [first, second] = [await signUp(stores, records), await signUp(stores, records)];
    await signUp(stores, records);
    const found = await stores.users.findMany([second.id, records.userId(), first.id, second.id]);
    expect(found.toSorted((a, b) => (a.email < b.email ? -1 : 1))).toEqual([first, second]);
    expect(await stores.users.findMany([])).toEqual([]);
  });

  it('a second user with the same login e-mail is refused and changes nothing', async ({
    stores,
    records,
    clock,
  }) => {
    const first = await signUp(stores, records, { email: 'one@example.com' });
    clock.advance(1000);
    const second = records.user({ email: 'one@example.com', role: 'admin' });
    expect(await stores.users.create(second)).toBeNull();
    expect(await stores.users.findById(second.id)).toBeNull();
    expect(await stores.users.findByLoginEmail('one@example.com')).toEqual(first);
  });

  it('users without a login e-mail live side by side and are not found by their address', async ({
    stores,
    records,
  }) => {
    await signUp(stores, records, { email: '' });
    const contact = { email: 'shared@example.com', loginEmail: null };
    const first = await signUp(stores, records, contact);
    const second = await signUp(stores, records, contact);
    expect(await stores.users.findById(first.id)).toEqual(first);
    expect(await stores.users.findById(second.id)).toEqual(second);
    expect(await stores.users.findByLoginEmail('shared@example.com')).toBeNull();
  });

  it('an address that others only show may become a login e-mail', async ({ stores, records }) => {
    await signUp(stores, records, { email: 'shared@example.com', loginEmail: null });
    const owner = await signUp(stores, records, { email: 'shared@example.com' });
    expect(await stores.users.findByLoginEmail('shared@example.com')).toEqual(owner);
  });
}

function describeContents(it: StoreTest): void {
  it('null fields stay null', async ({ stores, records }) => {
    const nulls = { loginEmail: null, emailProvenAt: null, passwordHash: null, tenantId: null };
    const { id } = await signUp(stores, records, { ...nulls, emailVerified: false });
    expect(await stores.users.findById(id)).toMatchObject({ ...nulls, emailVerified: false });
  });

  it('login e-mails are told apart by their code points alone', async ({ stores, records }) => {
    const users = [];
    for (const text of awkwardTexts) users.push(await signUp(stores, records, { email: text }));
    for (const user of users) expect(await stores.users.findByLoginEmail(user.email)).toEqual(user);
    expect(await stores.users.findByLoginEmail('B')).toBeNull();
  });

  it('every text of a user is kept as it is', async ({ stores, records }) => {
    for (const text of awkwardTexts) {
      const texts = { email: text, passwordHash: text, role: text, tenantId: text, fields: { [`${text}.`]: text } };
      const { id } = await signUp(stores, records, { ...texts, loginEmail: null });
      expect(await stores.users.findById(id)).toMatchObject(texts);
    }
  });

  it('moments are kept to the millisecond', async ({ stores, records }) => {
    for (const moment of ['1969-12-31T23:59:59.999Z', '2026-02-28T12:34:56.789Z', '9999-12-31T23:59:59.999Z']) {
      const { id } = await signUp(stores, records, { emailProvenAt: new Date(moment) });
      expect(stored(await stores.users.findById(id)).emailProvenAt?.toISOString()).toBe(moment);
    }
  });

  it('any JSON object may be in the fields', async ({ stores, records, rounds }) => {
    const keepsFields = fc.asyncProperty(jsonObject, async (fields) => {
      const { id } = await signUp(stores, records, { fields });
      expect(stored(await stores.users.findById(id)).fields).toEqual(fields);
    });
    await fc.assert(keepsFields, { numRuns: 30 * rounds });
  });
}

function describeOwnCopies(it: StoreTest): void {
  it('what the caller does to its input later changes no stored user', async ({ stores, records }) => {
    const groups = ['readers'];
    const provenAt = new Date('2026-01-01T00:00:00.000Z');
    const created = await signUp(stores, records, { fields: { groups }, emailProvenAt: provenAt });
    groups.push('admins');
    provenAt.setTime(0);
    expect(await stores.users.findById(created.id)).toMatchObject({
      fields: { groups: ['readers'] },
      emailProvenAt: new Date('2026-01-01T00:00:00.000Z'),
    });
  });

  it('what the caller does to a returned user changes no stored one', async ({ stores, records, clock }) => {
    const created = await signUp(stores, records);
    created.createdAt.setTime(0);
    const found = stored(await stores.users.findById(created.id));
    found.emailProvenAt?.setTime(0);
    expect(await stores.users.findById(created.id)).toMatchObject({
      createdAt: clock.now(),
      emailProvenAt: new Date('2025-12-31T23:59:59.999Z'),
    });
  });
}
