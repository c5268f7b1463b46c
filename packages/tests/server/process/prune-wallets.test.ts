import { describe, expect, it, vi } from 'vitest';
import { createTestDatabase, engines } from '../../support/test-server.ts';
import { pruneWallets } from '../../../server/src/maintenance/maintenance.ts';

const week = 7 * 86_400_000;

describe.each(engines)('pruneWallets on %s', (engine) => {
  it('deletes idempotency keys after a week, in batches of 200, and keeps counters', async () => {
    const { open, clock } = createTestDatabase(engine);
    const stores = open();
    await stores.migrate();
    const { wallets } = stores;
    const periodStart = new Date(0);
    const use = (key: string): Promise<{ readonly outcome: string }> =>
      wallets.consume({
        tenantId: 't',
        receiptId: crypto.randomUUID(),
        idempotencyKey: key,
        debits: [{ limit: 'exports', periodStart, amount: 1, max: -1 }],
      });
    await stores.transaction(async (inside) => {
      for (let index = 0; index < 401; index += 1) {
        const debits = [{ limit: 'exports', periodStart, amount: 1, max: -1 }];
        const receiptId = crypto.randomUUID();
        await inside.wallets.consume({ tenantId: 't', receiptId, idempotencyKey: `key ${index}`, debits });
      }
    });
    clock.advance(week);
    await use('late');
    expect(await pruneWallets(stores)).toBe(0);
    expect((await use('key 0')).outcome).toBe('repeated');
    clock.advance(1);
    const prune = vi.spyOn(wallets, 'prune');
    expect(await pruneWallets(stores, { signal: AbortSignal.abort() })).toBe(0);
    expect(prune).not.toHaveBeenCalled();
    expect(await pruneWallets(stores)).toBe(401);
    expect(await Promise.all(prune.mock.results.map(({ value }) => value as Promise<number>))).toEqual([200, 200, 1]);
    expect(await wallets.readMany([{ tenantId: 't', limit: 'exports', periodStart }])).toEqual([402]);
    expect([(await use('late')).outcome, (await use('key 0')).outcome]).toEqual(['repeated', 'consumed']);
    await stores.close();
  });
});
