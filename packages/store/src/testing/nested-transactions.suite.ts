import { expect } from 'vitest';
import { signUp } from './sign-in.ts';
import type { StoreTest } from './store-test.ts';

/** Describes transactions inside transactions. */
export function describeNestedTransactions(it: StoreTest): void {
  describeSavepoints(it);
  describeInnerWorkAtOnce(it);
}

function describeSavepoints(it: StoreTest): void {
  it('inner work that throws undoes its own steps, and the outer work goes on', async ({ stores, records }) => {
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

  it('inner work that resolves is seen by the outer work, and by nobody else before that commits', async ({
    stores,
    processes,
  }) => {
    await stores.transaction(async (outer) => {
      const sum = await outer.transaction((inner) => inner.counters.add('steps', 1));
      expect(sum).toBe(1);
      expect(await outer.counters.read('steps')).toBe(1);
      for (const outside of [stores, processes[0]]) expect(await outside.counters.read('steps')).toBe(0);
    });
    for (const outside of [stores, processes[0]]) expect(await outside.counters.read('steps')).toBe(1);
  });

  it('inner work that resolved is undone with the outer work', async ({ stores }) => {
    const failing = stores.transaction(async (outer) => {
      await outer.transaction((inner) => inner.counters.add('steps', 1));
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await stores.counters.read('steps')).toBe(0);
  });

  it('an inner error that nobody catches undoes all', async ({ stores }) => {
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

  it('each of three levels undoes only its own', async ({ stores }) => {
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
  it('of inner transactions that run at once each undoes only its own steps', async ({ stores }) => {
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

  it('a step beside an inner transaction that throws is kept', async ({ stores }) => {
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
