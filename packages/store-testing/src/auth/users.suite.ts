import type { UserId } from '@x/store';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { awkwardTexts, jsonObject } from '../awkward-values.ts';
import { signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { describeUserPages } from './user-pages.suite.ts';

/** Describes what every user store does. */
export function describeUsers(it: StoreTest): void {
  describe('the store of users', () => {
    describeCreation(it);
    describeContents(it);
    describeOwnCopies(it);
    describeUserPages(it);
  });
}

function describeCreation(it: StoreTest): void {
  it('finds a created user as they were returned', async ({ stores, records, clock }) => {
    const user = records.user();
    const created = await stores.users.create(user);
    expect(created).toEqual({
      ...user,
      disabledAt: null,
      unfinished: null,
      createdAt: clock.now(),
      updatedAt: clock.now(),
    });
    expect(await stores.users.findById(user.id)).toEqual(created);
    expect(await stores.users.findByLoginEmail(user.email)).toEqual(created);
  });

  it('does not find a user that was not created', async ({ stores, records }) => {
    await signUp(stores, records);
    expect(await stores.users.findById(records.userId())).toBeNull();
    expect(await stores.users.findByLoginEmail('nobody@example.com')).toBeNull();
  });

  it('finds no user by an id that not every engine can store', async ({ stores }) => {
    for (const id of ['\0', 'a\0b', '\ud800'] as readonly string[] as readonly UserId[]) {
      expect(await stores.users.findById(id)).toBeNull();
      expect(await stores.transaction(({ users }) => users.lock(id))).toBeNull();
    }
  });

  it('finds several users at once, each once, without the missing ones', async ({ stores, records }) => {
    const [first, second] = [await signUp(stores, records), await signUp(stores, records)];
    await signUp(stores, records);
    const found = await stores.users.findMany([second.id, records.userId(), first.id, second.id]);
    expect(found.toSorted((a, b) => (a.email < b.email ? -1 : 1))).toEqual([first, second]);
    expect(await stores.users.findMany([])).toEqual([]);
  });

  it('refuses a second user with the same login e-mail, and changes nothing', async ({ stores, records, clock }) => {
    const first = await signUp(stores, records, { email: 'one@example.com' });
    clock.advance(1000);
    const second = records.user({ email: 'one@example.com', role: 'admin' });
    expect(await stores.users.create(second)).toBeNull();
    expect(await stores.users.findById(second.id)).toBeNull();
    expect(await stores.users.findByLoginEmail('one@example.com')).toEqual(first);
  });

  it('allows several users without a login e-mail, and does not find them by their address', async ({
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

  it('allows a login e-mail that others only show', async ({ stores, records }) => {
    await signUp(stores, records, { email: 'shared@example.com', loginEmail: null });
    const owner = await signUp(stores, records, { email: 'shared@example.com' });
    expect(await stores.users.findByLoginEmail('shared@example.com')).toEqual(owner);
  });
}

function describeContents(it: StoreTest): void {
  it('keeps null fields null', async ({ stores, records }) => {
    const nulls = { loginEmail: null, emailProvenAt: null, passwordHash: null, tenantId: null };
    const { id } = await signUp(stores, records, { ...nulls, emailVerified: false });
    expect(await stores.users.findById(id)).toMatchObject({ ...nulls, emailVerified: false });
  });

  it('tells login e-mails apart by code points alone', async ({ stores, records }) => {
    const users = [];
    for (const text of awkwardTexts) users.push(await signUp(stores, records, { email: text }));
    for (const user of users) expect(await stores.users.findByLoginEmail(user.email)).toEqual(user);
    expect(await stores.users.findByLoginEmail('B')).toBeNull();
  });

  it('keeps every text of a user unchanged', async ({ stores, records }) => {
    for (const text of awkwardTexts) {
      const texts = { email: text, passwordHash: text, role: text, tenantId: text, fields: { [`${text}.`]: text } };
      const { id } = await signUp(stores, records, { ...texts, loginEmail: null });
      expect(await stores.users.findById(id)).toMatchObject(texts);
    }
  });

  it('keeps moments to the millisecond', async ({ stores, records }) => {
    for (const moment of ['1969-12-31T23:59:59.999Z', '2026-02-28T12:34:56.789Z', '9999-12-31T23:59:59.999Z']) {
      const { id } = await signUp(stores, records, { emailProvenAt: new Date(moment) });
      expect(stored(await stores.users.findById(id)).emailProvenAt?.toISOString()).toBe(moment);
    }
  });

  it('keeps any JSON object in the fields', async ({ stores, records, rounds }) => {
    const keepsFields = fc.asyncProperty(jsonObject, async (fields) => {
      const { id } = await signUp(stores, records, { fields });
      expect(stored(await stores.users.findById(id)).fields).toEqual(fields);
    });
    await fc.assert(keepsFields, { numRuns: 8 * rounds });
  });
}

function describeOwnCopies(it: StoreTest): void {
  it('is not affected when the caller changes its input afterwards', async ({ stores, records }) => {
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

  it('is not affected when the caller changes a returned user', async ({ stores, records, clock }) => {
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
