import type { TransactionStores } from '@x/store';
import { expect } from 'vitest';
import { concurrently, times } from '../concurrently.ts';
import { signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes transactions that lock a name, or lock a user. */
export function describeNamedLocks(it: StoreTest): void {
  it('shows each of 24 transactions that lock the same name the commit of the previous one', async ({
    stores,
    processes,
  }) => {
    const numbers = await concurrently(processes, times(24), (each) => each.transaction(nextNumber));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(times(24));
    expect(await stores.counters.read('numbers')).toBe(24);
  });

  it('keeps a name locked until the outermost transaction ends', async ({ stores, processes }) => {
    const numbers = await concurrently(processes, times(12), (each) =>
      each.transaction(async (inside) => {
        await inside.transaction((inner) => inner.lock('numbers'));
        return addOne(inside);
      }),
    );
    expect(numbers.toSorted((a, b) => a - b)).toEqual(times(12));
    expect(await stores.counters.read('numbers')).toBe(12);
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
    await expect(stores.lock('numbers')).rejects.toThrow(TypeError);
  });
}

async function nextNumber(inside: TransactionStores): Promise<number> {
  await inside.lock('numbers');
  return addOne(inside);
}

/** Reads and then writes, which only the lock makes atomic. */
async function addOne({ counters }: TransactionStores): Promise<number> {
  const number = await counters.read('numbers');
  await counters.add('numbers', 1);
  return number;
}
