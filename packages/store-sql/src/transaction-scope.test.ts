import { expect, it } from 'vitest';
import { type OpenTransaction, withTransactionScope } from './transaction-scope.ts';

const transaction: OpenTransaction = {
  isOpen: true,
  connection: null,
  all: () => [],
  query: () => ({ rows: [], isCut: false }),
  run: () => 0,
};

it('refuses a call whose patience ends while another has its turn, also in an inner transaction', async () => {
  const work = withTransactionScope(
    transaction,
    (outer) =>
      outer.transaction(async (scope) => {
        const released = Promise.withResolvers<void>();
        const holder = scope.transaction(() => released.promise);
        await expect(scope.read('', [])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
        released.resolve();
        await holder;
        expect(await scope.read('', [])).toEqual([]);
      }),
    20,
  );
  await work;
});
