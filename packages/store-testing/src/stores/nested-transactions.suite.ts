import { expect } from 'vitest';
import { signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes transactions inside transactions. */
export function describeNestedTransactions(it: StoreTest): void {
  describeSavepoints(it);
  describeInnerWorkAtOnce(it);
}

function describeSavepoints(it: StoreTest): void {
  it('rolls back only the steps of inner work that throws, and lets the outer work continue', async ({
    stores,
    records,
  }) => {
    const innerUser = records.user();
    const outerUser = await stores.transaction(async (outer) => {
      await outer.counters.add('steps', 1);
      const failing = outer.transaction(async (inner) => {
        await signUp(inner, records, innerUser);
        expect(await inner.counters.add('steps', 10)).toBe(11);
        throw new RangeError('no');
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect(await outer.users.findById(innerUser.id)).toBeNull();
      expect(await outer.counters.add('steps', 100)).toBe(101);
      return signUp(outer, records);
    });
    expect(await stores.counters.read('steps')).toBe(101);
    expect(await stores.users.findById(innerUser.id)).toBeNull();
    expect(await stores.users.findById(outerUser.id)).toEqual(outerUser);
  });

  it.holding(2)(
    'shows the changes of inner work to the outer work, and to no other caller before the commit',
    async ({ stores, processes }) => {
      await stores.transaction(async (outer) => {
        const sum = await outer.transaction((inner) => inner.counters.add('steps', 1));
        expect(sum).toBe(1);
        expect(await outer.counters.read('steps')).toBe(1);
        for (const outside of [stores, processes[0]]) expect(await outside.counters.read('steps')).toBe(0);
      });
      for (const outside of [stores, processes[0]]) expect(await outside.counters.read('steps')).toBe(1);
    },
  );

  it('rolls back inner work that resolved together with the outer work', async ({ stores }) => {
    const failing = stores.transaction(async (outer) => {
      await outer.transaction((inner) => inner.counters.add('steps', 1));
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await stores.counters.read('steps')).toBe(0);
  });

  it('rolls back everything for an inner error that the outer work does not catch', async ({ stores }) => {
    const failing = stores.transaction(async (outer) => {
      await outer.counters.add('steps', 1);
      await outer.transaction(async (inner) => {
        await inner.counters.add('steps', 1);
        throw new RangeError('no');
      });
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await stores.counters.read('steps')).toBe(0);
  });

  it('rolls back only its own steps at each of three levels', async ({ stores }) => {
    await stores.transaction(async (first) => {
      await first.counters.add('steps', 1);
      await first.transaction(async (second) => {
        await second.counters.add('steps', 10);
        const failing = second.transaction(async (third) => {
          await third.counters.add('steps', 100);
          throw new RangeError('no');
        });
        await expect(failing).rejects.toThrow(RangeError);
        await second.transaction((third) => third.counters.add('steps', 1000));
      });
    });
    expect(await stores.counters.read('steps')).toBe(1011);
  });
}

function describeInnerWorkAtOnce(it: StoreTest): void {
  it('rolls back only its own steps for each of several concurrent inner transactions', async ({ stores }) => {
    await stores.transaction(async (outer) => {
      const works = Array.from({ length: 10 }, (_, index) =>
        outer.transaction(async (inner) => {
          await inner.counters.add('kept', 1);
          await inner.counters.add('kept', 1);
          if (index % 2 === 1) throw new RangeError('no');
        }),
      );
      const outcomes = await Promise.allSettled(works);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    });
    expect(await stores.counters.read('kept')).toBe(10);
  });

  it('keeps a step beside an inner transaction that throws', async ({ stores }) => {
    await stores.transaction(async (outer) => {
      const [inner, beside] = await Promise.allSettled([
        outer.transaction(async (inside) => {
          await inside.counters.add('inner', 1);
          await inside.counters.read('inner');
          throw new RangeError('no');
        }),
        outer.counters.add('beside', 1),
      ]);
      expect([inner.status, beside.status]).toEqual(['rejected', 'fulfilled']);
    });
    expect(await stores.counters.read('beside')).toBe(1);
    expect(await stores.counters.read('inner')).toBe(0);
  });
}
