import type { Stores, UserRecord } from '@x/store';
import { expect } from 'vitest';
import type { ManualClock } from '../clock.ts';
import type { SampleRecords } from '../sample-records.ts';
import { signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { forgedCursors, visitPages } from '../visit-pages.ts';

/** Describes how every user store pages the list of all users. */
export function describeUserPages(it: StoreTest): void {
  it('returns an empty page for a database without users', async ({ stores }) => {
    expect(await stores.users.list({ limit: 10, after: null })).toEqual({ items: [], nextCursor: null });
  });

  it('lists all users, the newest first, then by id', async ({ stores, records, clock }) => {
    const users = await signUpTies(stores, records, clock);
    const page = { items: users.toSorted(compareNewest), nextCursor: null };
    expect(await stores.users.list({ limit: 100, after: null })).toEqual(page);
    expect(await stores.transaction(async (inside) => inside.users.list({ limit: 100, after: null }))).toEqual(page);
  });

  it('visits every user once and in order, for any page size and equal times', async ({ stores, records, clock }) => {
    const expected = (await signUpTies(stores, records, clock)).toSorted(compareNewest);
    for (const limit of [1, 2, 3, 5, 11, 12, 13]) {
      expect(await visitPages((page) => stores.users.list(page), limit)).toEqual(expected);
    }
  });

  it('neither repeats nor skips older users when others sign up meanwhile', async ({ stores, records, clock }) => {
    const expected = (await signUpTies(stores, records, clock)).toSorted(compareNewest);
    clock.advance(1000);
    const visited = await visitPages(
      (page) => stores.users.list(page),
      5,
      async () => {
        clock.advance(1);
        await signUp(stores, records);
      },
    );
    expect(visited).toEqual(expected);
  });

  it('lists a changed user in the same place', async ({ stores, records, clock }) => {
    const users = (await signUpTies(stores, records, clock)).toSorted(compareNewest);
    clock.advance(1000);
    const [, , third] = users;
    const changed = await stores.users.setRole(third?.id ?? records.userId(), 'admin');
    const expected = users.map((user) => (user.id === changed?.id ? changed : user));
    expect((await stores.users.list({ limit: 100, after: null })).items).toEqual(expected);
    await stores.transaction(async (inside) => {
      await signUp(inside, records);
      expect((await inside.users.list({ limit: 100, after: null })).items.slice(1)).toEqual(expected);
    });
  });

  it('is not affected when the caller changes a listed user', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    const [listed] = (await stores.users.list({ limit: 1, after: null })).items;
    listed?.createdAt.setTime(0);
    expect(stored(await stores.users.findById(user.id))).toEqual(user);
    expect((await stores.users.list({ limit: 1, after: null })).items).toEqual([user]);
  });

  it('finds users by how their address starts, by address and id', async ({ stores, records }) => {
    const add = (email: string, loginEmail: string | null = email): Promise<UserRecord> =>
      signUp(stores, records, { email, loginEmail });
    const [grace, ada, adam] = [
      await add('grace@example.com'),
      await add('ada@example.com'),
      await add('adam@example.com'),
    ];
    const contacts = [await add('ada@example.com', null), await add('ada@example.com', null)];
    const ties = [ada, ...contacts].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const wide = [await add('ad\u{1f600}@example.com'), await add('ad\uffee@example.com')].toReversed();
    expect(await stores.users.search('ada', 10)).toEqual([...ties, adam]);
    expect(await stores.users.search('ad', 10)).toEqual([...ties, adam, ...wide]);
    expect(await stores.users.search('ad', 2)).toEqual(ties.slice(0, 2));
    expect(await stores.users.search('', 100)).toHaveLength(7);
    expect(await stores.users.search('grace@example.com', 10)).toEqual([grace]);
    for (const none of ['Ada', 'da', 'ad%', 'ad_', 'ada@example.com ', 'a\0', '\ud800']) {
      expect(await stores.users.search(none, 10)).toEqual([]);
    }
    expect(await stores.transaction((inside) => inside.users.search('adam', 10))).toEqual([adam]);
  });

  it.for(forgedCursors)('refuses the forged cursor %j', async (after, { stores }) => {
    await expect(stores.users.list({ limit: 10, after })).rejects.toMatchObject({ code: 'INVALID_QUERY' });
  });
}

/** Signs up 12 users on 4 moments, neither in the order of their moments nor of their ids. */
async function signUpTies(stores: Stores, records: SampleRecords, clock: ManualClock): Promise<readonly UserRecord[]> {
  const users: UserRecord[] = [];
  const ids = Array.from({ length: 12 }, () => records.userId());
  for (const [index, id] of ids.toReversed().entries()) {
    clock.advance([2, -1, 2, -3][index % 4] ?? 0);
    users.push(await signUp(stores, records, { id }));
  }
  return users;
}

function compareNewest(a: UserRecord, b: UserRecord): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}
