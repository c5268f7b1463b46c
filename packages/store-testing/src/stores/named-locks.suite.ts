import type { TransactionStores } from '@x/store';
import { expect } from 'vitest';
import { concurrently, times } from '../concurrently.ts';
import { signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what a transaction does that locks a name, or locks a user. */
export function describeNamedLocks(it: StoreTest): void {
  it('shows each of 24 transactions that lock the same name what the previous one committed', async ({
    stores,
    processes,
  }) => {
    const places = await concurrently(processes, times(24), (each) => each.transaction(nextPlace));
    expect(places.toSorted((a, b) => a - b)).toEqual(times(24));
    expect(await stores.counters.read('places')).toBe(24);
  });

  it('keeps a name locked until the outermost transaction ends', async ({ stores, processes }) => {
    const places = await concurrently(processes, times(12), (each) =>
      each.transaction(async (inside) => {
        await inside.transaction((inner) => inner.lock('places'));
        return addOne(inside);
      }),
    );
    expect(places.toSorted((a, b) => a - b)).toEqual(times(12));
    expect(await stores.counters.read('places')).toBe(12);
  });

  it('keeps a locked user unchanged until the transaction ends', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records, { tenantId: '' });
    await concurrently(processes, times(16), (each) =>
      each.transaction(async ({ users }) => users.setTenant(id, `${stored(await users.lock(id)).tenantId}+`)),
    );
    expect(await stores.users.lock(id)).toMatchObject({ tenantId: '+'.repeat(16) });
    expect(await stores.transaction(({ users }) => users.lock(records.userId()))).toBeNull();
  });

  it('refuses to lock a name outside of a transaction', async ({ stores }) => {
    await expect(stores.lock('places')).rejects.toThrow(TypeError);
  });
}

async function nextPlace(inside: TransactionStores): Promise<number> {
  await inside.lock('places');
  return addOne(inside);
}

/** Reads and then writes, which nothing but the lock makes one step. */
async function addOne({ counters }: TransactionStores): Promise<number> {
  const place = await counters.read('places');
  await counters.add('places', 1);
  return place;
}
