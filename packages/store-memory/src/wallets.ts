import type { ConsumeOutcome, WalletStore } from '@x/store';
import {
  assertMoment,
  checkDebits,
  checkEntries,
  maxConsumed,
  toReceipt,
  type CheckedDebit,
  type CheckedEntry,
} from '@x/store/engine';
import type { Scope } from './scope.ts';
import type { Tables } from './tables.ts';
import { take } from './take.ts';
import {
  everyConsumption,
  toConsumptionKey,
  toWalletKey,
  type ConsumptionTable,
  type WalletTable,
} from './wallet-table.ts';

/** Creates the wallet store of a scope. */
export function createWalletStore(scope: Scope): WalletStore {
  return {
    consume: async ({ tenantId, receiptId, idempotencyKey = null, debits }) => {
      // Copied before the step may have to wait for its turn, here and below.
      const checked = { tenantId, receiptId, idempotencyKey, debits: checkDebits(debits) };
      return scope.write((tables, now) => consume(tables, checked, now));
    },
    unconsume: async ({ id, tenantId, entries }) => {
      const checked = { tenantId, receiptId: id, entries: checkEntries(entries) };
      return scope.write((tables, now) => unconsume(tables, checked, now));
    },
    credit: async (tenantId, entries) => {
      const checked = checkEntries(entries);
      return scope.write(({ wallets }) => credit(wallets, tenantId, checked));
    },
    readMany: async (counters) => {
      const keys = counters.map(({ tenantId, limit, periodStart }) => {
        assertMoment(periodStart);
        return toWalletKey(tenantId, { limit, periodStart: periodStart.getTime() });
      });
      return scope.read(({ wallets }) => keys.map((key) => wallets.get(key)?.consumed ?? 0));
    },
    prune: async ({ before, limit }) => {
      const moment = before.getTime();
      return scope.write(({ consumptions }) => prune(consumptions, moment, limit));
    },
  };
}

/** The validated arguments of `consume`. */
interface CheckedConsumption {
  readonly tenantId: string;
  readonly receiptId: string;
  readonly idempotencyKey: string | null;
  readonly debits: readonly CheckedDebit[];
}

function consume({ wallets, consumptions }: Tables, consumption: CheckedConsumption, now: Date): ConsumeOutcome {
  const { tenantId, receiptId, idempotencyKey, debits } = consumption;
  const before = readAll(wallets, tenantId, debits);
  const earlier =
    idempotencyKey === null
      ? undefined
      : consumptions.find('idempotencyKey', toConsumptionKey(tenantId, idempotencyKey));
  if (earlier) {
    return { outcome: 'repeated', receipt: toReceipt({ ...earlier, id: earlier.receiptId }), consumed: before };
  }
  const refused = debits.filter(({ highest }, index) => (before[index] ?? 0) > highest);
  if (refused.length > 0) {
    return { outcome: 'refused', refusedBy: refused.map(({ limit }) => limit), consumed: before };
  }
  for (const debit of debits) change(wallets, tenantId, debit, debit.amount);
  if (idempotencyKey !== null) {
    consumptions.insert({ tenantId, receiptId, idempotencyKey, entries: debits, changedAt: now.getTime() });
  }
  return {
    outcome: 'consumed',
    receipt: toReceipt({ id: receiptId, tenantId, entries: debits }),
    consumed: readAll(wallets, tenantId, debits),
  };
}

/** The validated arguments of `unconsume`. */
interface CheckedReceipt {
  readonly tenantId: string;
  readonly receiptId: string;
  readonly entries: readonly CheckedEntry[];
}

function unconsume({ wallets, consumptions }: Tables, receipt: CheckedReceipt, now: Date): boolean {
  const { tenantId, receiptId, entries } = receipt;
  const kept = consumptions.get(toConsumptionKey(tenantId, receiptId));
  if (kept?.idempotencyKey === null) return false;
  consumptions.put({ ...receipt, idempotencyKey: null, changedAt: now.getTime() });
  credit(wallets, tenantId, entries);
  return true;
}

function credit(wallets: WalletTable, tenantId: string, entries: readonly CheckedEntry[]): void {
  for (const entry of entries) change(wallets, tenantId, entry, -entry.amount);
}

/** Changes a counter within its bounds; one that was never consumed from is not created. */
function change(wallets: WalletTable, tenantId: string, entry: CheckedEntry, by: number): void {
  const key = toWalletKey(tenantId, entry);
  const before = wallets.get(key)?.consumed;
  if (before === undefined && by < 0) return;
  wallets.put({ key, consumed: Math.min(Math.max(0, (before ?? 0) + by), maxConsumed) });
}

function readAll(wallets: WalletTable, tenantId: string, entries: readonly CheckedEntry[]): readonly number[] {
  return entries.map((entry) => wallets.get(toWalletKey(tenantId, entry))?.consumed ?? 0);
}

function prune(consumptions: ConsumptionTable, before: number, limit: number): number {
  const old = take(consumptions.select('byAge', everyConsumption), limit).filter(({ changedAt }) => changedAt < before);
  for (const { tenantId, receiptId } of old) consumptions.delete(toConsumptionKey(tenantId, receiptId));
  return old.length;
}
