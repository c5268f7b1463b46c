import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { concurrently, times } from '../concurrently.ts';
import { expectRolledBack } from '../in-transaction.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what every flag store does. */
export function describeFlags(it: StoreTest): void {
  describe('flags', () => {
    it('use the value of the tenant, else the one for all tenants, else null', async ({ stores }) => {
      await stores.flags.set({ tenantId: null, name: 'beta' }, true);
      await stores.flags.set({ tenantId: 'one', name: 'beta' }, false);
      await stores.flags.set({ tenantId: 'one', name: 'own' }, true);
      const asked = [
        { tenantId: 'one', name: 'beta' },
        { tenantId: 'two', name: 'beta' },
        { tenantId: null, name: 'beta' },
        { tenantId: 'one', name: 'own' },
        { tenantId: 'two', name: 'own' },
        { tenantId: null, name: 'own' },
        { tenantId: 'one', name: 'beta' },
      ];
      expect(await stores.flags.readMany(asked)).toEqual([false, true, true, true, null, null, false]);
      expect(await stores.flags.readMany([])).toEqual([]);
    });

    it('can be set again and removed', async ({ stores }) => {
      for (const tenantId of [null, 'one']) {
        const flag = { tenantId, name: `of ${tenantId}` };
        await stores.flags.set(flag, true);
        await stores.flags.set(flag, false);
        expect(await stores.flags.readMany([flag])).toEqual([false]);
        await stores.flags.set(flag, null);
        await stores.flags.set(flag, null);
        expect(await stores.flags.readMany([flag])).toEqual([null]);
      }
    });

    it('tell tenants and names apart by code points alone', async ({ stores }) => {
      for (const [index, text] of awkwardTexts.entries()) {
        await stores.flags.set({ tenantId: text, name: 'flag' }, index % 2 === 0);
        await stores.flags.set({ tenantId: null, name: `name ${text}` }, index % 2 === 1);
      }
      const own = await stores.flags.readMany(awkwardTexts.map((tenantId) => ({ tenantId, name: 'flag' })));
      expect(own).toEqual(awkwardTexts.map((_, index) => index % 2 === 0));
      const named = await stores.flags.readMany(awkwardTexts.map((text) => ({ tenantId: null, name: `name ${text}` })));
      expect(named).toEqual(awkwardTexts.map((_, index) => index % 2 === 1));
      expect(await stores.flags.readMany([{ tenantId: null, name: 'flag' }])).toEqual([null]);
    });

    it('do not show a change that was rolled back', async ({ stores }) => {
      const flag = { tenantId: 'one', name: 'beta' };
      await stores.flags.set(flag, true);
      await expectRolledBack(stores, async (inside) => {
        await inside.flags.set(flag, null);
        await inside.flags.set({ tenantId: null, name: 'beta' }, false);
        expect(await inside.flags.readMany([flag])).toEqual([false]);
      });
      expect(await stores.flags.readMany([flag])).toEqual([true]);
    });
  });
}

/** Describes what is guaranteed while several processes set a flag at once. */
export function describeFlagRaces(it: StoreTest): void {
  it('keeps one of 100 concurrent values of a flag', async ({ stores, processes }) => {
    for (const tenantId of [null, 'one']) {
      const flag = { tenantId, name: 'beta' };
      await concurrently(processes, times(100), (each, index) => each.flags.set(flag, index % 2 === 0));
      expect([true, false]).toContain((await stores.flags.readMany([flag]))[0]);
      await stores.flags.set(flag, null);
      expect(await stores.flags.readMany([flag])).toEqual([null]);
    }
  });
}
