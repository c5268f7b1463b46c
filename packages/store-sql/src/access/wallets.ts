import type { WalletStore } from '@x/store';
import { assertMoment, type CheckedEntry, checkEntries } from '@x/store/engine';

import { consume, consumptionColumns } from './consume.ts';
import { ConsumptionQueue } from './consumption-queue.ts';
import { deleteFirst } from '../delete-first.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { inLockOrder, readCounters } from './wallet-counters.ts';

/** The options of the wallet store. */
export interface SqlWalletsOptions extends SqlStoreDependencies {
  /** The executor outside of transactions. */
  readonly database: SqlExecutor;
}

/** A consumption that was already taken back is left as it is. */
const takeBack = `
  INSERT INTO access_consumptions (${consumptionColumns.names}) VALUES (${consumptionColumns.placeholders})
  ON CONFLICT (tenant_id, receipt_id) DO UPDATE SET idempotency_key = NULL, changed_at = excluded.changed_at
  WHERE access_consumptions.idempotency_key IS NOT NULL`;

const creditCounter = `
  UPDATE access_wallets SET consumed = CASE WHEN consumed > $4 THEN consumed - $4 ELSE 0 END
  WHERE tenant_id = $1 AND limit_name = $2 AND period_start = $3`;

const oldest = {
  table: 'access_consumptions',
  key: 'tenant_id, receipt_id',
  where: 'changed_at < $1',
  order: 'changed_at, tenant_id, receipt_id',
};

/**
 * Builds the wallet store; outside transactions, similar calls that would wait for each other are
 * combined.
 */
export function createSqlWallets({ dialect, clock, database }: SqlWalletsOptions): OnExecutor<WalletStore> {
  const queue = new ConsumptionQueue(database);
  const deleteOld = deleteFirst(dialect, oldest);
  return (sql) => ({
    async consume(consumption) {
      const mayWait = sql === database && consumption.idempotencyKey === undefined;
      return mayWait ? queue.consume(consumption) : consume(sql, consumption, clock);
    },

    async unconsume({ id, tenantId, entries }) {
      const checked = checkEntries(entries);
      const receipt = { tenantId, receiptId: id, idempotencyKey: null, entries: checked };
      return sql.step(async (step) => {
        const values = consumptionColumns.bind(receipt, () => ({ changedAt: clock.now() }));
        const taken = await step.execute(takeBack, values);
        if (taken === 1) await credit(step, tenantId, checked);
        return taken === 1;
      });
    },

    async credit(tenantId, entries) {
      const checked = checkEntries(entries);
      await sql.step((step) => credit(step, tenantId, checked));
    },

    async readMany(counters) {
      const keys = counters.map(({ tenantId, limit, periodStart }) => {
        assertMoment(periodStart);
        return { tenantId, limit, periodStart: periodStart.getTime() };
      });
      return readCounters(sql, keys);
    },

    prune: ({ before, limit }) => sql.execute(deleteOld, [before.getTime(), limit]),
  });
}

async function credit(step: SqlExecutor, tenantId: string, entries: readonly CheckedEntry[]): Promise<void> {
  for (const { limit, periodStart, amount } of inLockOrder(entries)) {
    await step.execute(creditCounter, [tenantId, limit, periodStart, amount]);
  }
}
