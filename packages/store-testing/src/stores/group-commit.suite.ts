import type { TransactionStores } from '@x/store';
import { expect } from 'vitest';
import { concurrently, times } from '../concurrently.ts';
import { hangTransaction } from '../hang-transaction.ts';
import { signIn, signUp } from '../sign-in.ts';
import { openLimited, type StoreTest } from '../store-test.ts';

/** Describes transactions that may share a commit. */
export function describeGroupCommit(it: StoreTest): void {
  it('commits or rolls back each of several grouped transactions by itself', async ({ stores, processes }) => {
    const work = concurrently([stores, ...processes], times(12), async (each, index) => {
      const brief = each.transaction(
        async (inside) => {
          const sum = await inside.counters.add(`own ${index}`, 1);
          await inside.counters.add('together', 1);
          if (index % 3 === 0) throw new RangeError('no');
          return sum;
        },
        { groupCommit: true },
      );
      const [outcome] = await Promise.allSettled([brief, each.counters.add('beside', 1)]);
      return outcome.status === 'fulfilled' ? outcome.value : outcome.reason;
    });
    const outcomes = await work;
    for (const index of times(12)) {
      expect(outcomes[index]).toEqual(index % 3 === 0 ? new RangeError('no') : 1);
      expect(await stores.counters.read(`own ${index}`)).toBe(index % 3 === 0 ? 0 : 1);
    }
    expect(await stores.counters.read('together')).toBe(8);
    expect(await stores.counters.read('beside')).toBe(12);
  });

  it('reports what a grouped transaction revoked after its commit, and nothing if it is rolled back', async ({
    stores,
    records,
  }) => {
    const user = await signUp(stores, records);
    const reported: string[] = [];
    stores.onRevoked(({ sessionId }) => void reported.push(sessionId));
    const start = async (fails: boolean): Promise<string> => {
      const { id } = await signIn(stores, records, user.id);
      const end = stores.transaction(
        async (inside) => {
          await inside.sessions.revoke(id);
          expect(reported).not.toContain(id);
          if (fails) throw new RangeError('no');
        },
        { groupCommit: true },
      );
      const [outcome] = await Promise.allSettled([end]);
      expect(outcome.status).toBe(fails ? 'rejected' : 'fulfilled');
      return id;
    };
    await start(true);
    expect(reported).toEqual([]);
    expect(reported).toEqual([await start(false)]);
  });

  it('rolls back a grouped transaction that takes too long, and delays others no longer', async ({
    database,
    stores,
    clock,
  }) => {
    const limited = await openLimited(database, clock);
    let late: unknown;
    const work = async (inside: TransactionStores, hang: () => Promise<void>): Promise<void> => {
      await inside.counters.add('steps', 1);
      await hang();
      late = await inside.counters.add('steps', 2).catch((error: unknown) => error);
    };
    const hanging = await hangTransaction(limited, work, { groupCommit: true });
    const unavailable = { code: 'SERVICE_UNAVAILABLE' };
    await expect(hanging.outcome).rejects.toMatchObject(unavailable);
    hanging.release();
    await hanging.isOver;
    expect(late).toMatchObject(unavailable);
    expect(await limited.counters.add('steps', 10)).toBe(10);
    expect(await stores.counters.read('steps')).toBe(10);
  });
}
