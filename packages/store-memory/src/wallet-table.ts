import { compareCodePoints } from '@x/store';
import type { CheckedEntry } from '@x/store/engine';
import { Table } from './table.ts';

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
export function toWalletKey(tenantId: string, { limit, periodStart }: Omit<CheckedEntry, 'amount'>): string {
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

/** The single group of the index by age. */
export const everyConsumption = '';

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
        groupOf: () => everyConsumption,
        compare: (a, b) =>
          a.changedAt - b.changedAt ||
          compareCodePoints(a.tenantId, b.tenantId) ||
          compareCodePoints(a.receiptId, b.receiptId),
      },
    },
  });
}

/** Returns the key of a tenant's receipt or idempotency key. */
export function toConsumptionKey(tenantId: string, name: string): string {
  return `${tenantId}\0${name}`;
}
