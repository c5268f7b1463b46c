import { describe, expect } from 'vitest';
import { expectRolledBack } from '../in-transaction.ts';
import { signIn, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { attemptOf, checkWithSession } from './rate-limits.suite.ts';

/** Describes how rate limits take part in the transactions of their database. */
export function describeRateLimitTransactions(it: StoreTest): void {
  describe('rate limits in a transaction', () => {
    it('roll back what was counted together with its transaction', async ({ stores, records }) => {
      const session = await signIn(stores, records, (await signUp(stores, records)).id);
      await expectRolledBack(stores, async (inside) => {
        expect(await checkWithSession(inside, attemptOf(session))).toMatchObject({ found: { session } });
      });
      expect(await stores.rateLimits.check('known', 2, 60_000)).toMatchObject({ remaining: 1 });
    });

    it('report a first refusal again if it was rolled back', async ({ stores }) => {
      await stores.rateLimits.check('key', 1, 1000);
      await expectRolledBack(stores, async (inside) => {
        expect(await inside.rateLimits.check('key', 1, 1000)).toMatchObject({ isFirstRefusal: true });
      });
      expect(await stores.rateLimits.check('key', 1, 1000)).toMatchObject({ isFirstRefusal: true });
      expect(await stores.rateLimits.check('key', 1, 1000)).toMatchObject({ isFirstRefusal: false });
    });

    it('restore pruned windows when the transaction is rolled back', async ({ stores, clock }) => {
      for (const key of ['one', 'other']) await stores.rateLimits.check(key, 1, 1000);
      clock.advance(1000);
      await expectRolledBack(stores, async (inside) => {
        expect(await inside.rateLimits.prune({ limit: 100 })).toBe(2);
      });
      expect(await stores.rateLimits.prune({ limit: 100 })).toBe(2);
    });
  });
}
