import { compareCodePoints, type ConsumeOutcome, type WalletStore } from '@x/store';
import {
  assertMoment,
  checkDebits,
  type CheckedDebit,
  type CheckedEntry,
  checkEntries,
  maxConsumed,
  toReceipt,
} from '@x/store/engine';
import type { StepExecutor } from '../database/executor.ts';
import { Table } from '../database/table.ts';

/** Creates the wallet store. */
export function createWalletStore(executor: StepExecutor<WalletTables>): WalletStore {
  return {
    consume: async ({ tenantId, receiptId, idempotencyKey = null, debits }) => {
      // Copied first, here and below: the caller may change it while the step waits.
      const checked = { tenantId, receiptId, idempotencyKey, debits: checkDebits(debits) };
      return executor.write((tables, now) => consume(tables, checked, now));
    },
    unconsume: async ({ id, tenantId, entries }) => {
      const checked = { tenantId, receiptId: id, entries: checkEntries(entries) };
      return executor.write((tables, now) => unconsume(tables, checked, now));
    },
    credit: async (tenantId, entries) => {
      const checked = checkEntries(entries);
      return executor.write(({ wallets }) => credit(wallets, tenantId, checked));
    },
    readMany: async (counters) => {
      const keys = counters.map(({ tenantId, limit, periodStart }) => {
        assertMoment(periodStart);
        return toWalletKey(tenantId, { limit, periodStart: periodStart.getTime() });
      });
      return executor.read(({ wallets }) => keys.map((key) => wallets.get(key)?.consumed ?? 0));
    },
    prune: async ({ before, limit }) => {
      const moment = before.getTime();
      return executor.write(({ consumptions }) =>
        consumptions.prune('byAge', limit, ({ changedAt }) => changedAt < moment),
      );
    },
  };
}

interface WalletTables {
  readonly wallets: WalletTable;
  readonly consumptions: ConsumptionTable;
}

/** The validated arguments of `consume`. */
interface CheckedConsumption {
  readonly tenantId: string;
  readonly receiptId: string;
  readonly idempotencyKey: string | null;
  readonly debits: readonly CheckedDebit[];
}

function consume({ wallets, consumptions }: WalletTables, consumption: CheckedConsumption, now: Date): ConsumeOutcome {
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

function unconsume({ wallets, consumptions }: WalletTables, receipt: CheckedReceipt, now: Date): boolean {
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

/** The counter of one period of a limit of a tenant. */
interface WalletRow {
  /** As {@link toWalletKey} builds it. */
  readonly key: string;
  readonly consumed: number;
}

/** Counters, found by key. */
export type WalletTable = Table<WalletRow, never, never>;

/** Creates an empty table of counters. */
export function createWalletTable(): WalletTable {
  return new Table<WalletRow, never, never>({ keyOf: ({ key }) => key, unique: {}, ordered: {} });
}

/** Returns the key of a counter. No text contains U+0000, so it can separate the parts. */
function toWalletKey(tenantId: string, { limit, periodStart }: Omit<CheckedEntry, 'amount'>): string {
  return `${tenantId}\0${limit}\0${periodStart}`;
}

/** A consumption that must not be counted twice, or not be taken back twice. */
interface ConsumptionRow {
  readonly tenantId: string;
  readonly receiptId: string;
  /** Null once the consumption has been taken back. */
  readonly idempotencyKey: string | null;
  readonly entries: readonly CheckedEntry[];
  /** When it was stored or taken back, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** Consumptions, indexed by receipt and by idempotency key, and ordered oldest first. */
export type ConsumptionTable = Table<ConsumptionRow, 'idempotencyKey', 'byAge'>;

/** Creates an empty table of consumptions. */
export function createConsumptionTable(): ConsumptionTable {
  return new Table<ConsumptionRow, 'idempotencyKey', 'byAge'>({
    keyOf: ({ tenantId, receiptId }) => toConsumptionKey(tenantId, receiptId),
    unique: {
      idempotencyKey: ({ tenantId, idempotencyKey }) =>
        idempotencyKey === null ? null : toConsumptionKey(tenantId, idempotencyKey),
    },
    ordered: {
      byAge: {
        compare: (a, b) =>
          a.changedAt - b.changedAt ||
          compareCodePoints(a.tenantId, b.tenantId) ||
          compareCodePoints(a.receiptId, b.receiptId),
      },
    },
  });
}

/** Returns the key of a tenant's receipt or idempotency key. */
function toConsumptionKey(tenantId: string, name: string): string {
  return `${tenantId}\0${name}`;
}
