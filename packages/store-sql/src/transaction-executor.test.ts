import { expect, it } from 'vitest';
import { type OpenTransaction, withTransactionExecutor } from './transaction-executor.ts';

const transaction: OpenTransaction = {
  isOpen: true,
  connection: null,
  all: () => [],
  query: () => ({ rows: [], isCut: false }),
  run: () => 0,
};

it('refuses a call whose patience ends while another has its turn, also in an inner transaction', async () => {
  const work = withTransactionExecutor(
    transaction,
    (outer) =>
      outer.transaction(async (executor) => {
        const released = Promise.withResolvers<void>();
        const holder = executor.transaction(() => released.promise);
        await expect(executor.read('', [])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
        released.resolve();
        await holder;
        expect(await executor.read('', [])).toEqual([]);
      }),
    20,
  );
  await work;
});
