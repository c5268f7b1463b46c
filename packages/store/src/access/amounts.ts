import type { LimitOverride } from './subscriptions.ts';
import type { WalletDebit, WalletEntry, WalletReceipt } from './wallets.ts';

/** The maximum value of a wallet's counter. */
export const maxConsumed: number = Number.MAX_SAFE_INTEGER;

/** Throws `TypeError` for an invalid amount or quantity; they are positive safe integers. */
export function assertAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1) throw new TypeError('An amount must be a positive safe integer.');
}

/** Throws `TypeError` for an invalid maximum; it is -1, 0 or a positive safe integer. */
function assertMax(max: number): void {
  if (!Number.isSafeInteger(max) || max < -1) throw new TypeError('A limit must be -1, 0 or a positive safe integer.');
}

/** Throws `TypeError` for an invalid date. */
export function assertMoment(moment: Date): void {
  if (Number.isNaN(moment.getTime())) throw new TypeError('A date is not valid.');
}

/** A validated debit or credit: a private copy, with its period start in milliseconds since 1970. */
export interface CheckedEntry {
  readonly limit: string;
  readonly periodStart: number;
  readonly amount: number;
}

/** A checked debit. */
export interface CheckedDebit extends CheckedEntry {
  /** The highest counter value that the amount can be added to; negative if it never can. */
  readonly highest: number;
}

/**
 * Validates debits and copies them.
 *
 * @throws TypeError for an invalid amount or maximum, for no debits, and for two debits of one limit
 */
export function checkDebits(debits: readonly WalletDebit[]): readonly CheckedDebit[] {
  for (const { max } of debits) assertMax(max);
  const highest = debits.map(({ max, amount }) => (max === -1 ? maxConsumed : max - amount));
  return checkEntries(debits).map((entry, index) => ({ ...entry, highest: highest[index] ?? -1 }));
}

/**
 * Validates entries and copies them.
 *
 * @throws TypeError for an invalid amount, for no entries, and for two entries of one limit
 */
export function checkEntries(entries: readonly WalletEntry[]): readonly CheckedEntry[] {
  const limits = new Set(entries.map(({ limit }) => limit));
  if (limits.size === 0) throw new TypeError('There are no limits.');
  if (limits.size < entries.length) throw new TypeError('A limit is listed twice.');
  return entries.map(({ limit, periodStart, amount }) => {
    assertAmount(amount);
    assertMoment(periodStart);
    return { limit, periodStart: periodStart.getTime(), amount };
  });
}

/** The parts of a receipt. */
interface ReceiptSource {
  readonly id: string;
  readonly tenantId: string;
  readonly entries: readonly CheckedEntry[];
}

/** Builds the receipt of a consumption. */
export function toReceipt({ id, tenantId, entries }: ReceiptSource): WalletReceipt {
  return {
    id,
    tenantId,
    entries: entries.map(({ limit, periodStart, amount }) => ({ limit, periodStart: new Date(periodStart), amount })),
  };
}

/**
 * Validates overrides and copies them, sorted by name.
 *
 * @throws TypeError for a maximum that is neither -1 nor a positive safe integer
 */
export function checkOverrides(
  overrides: Readonly<Record<string, { readonly max: number }>>,
): readonly LimitOverride[] {
  const checked = Object.entries(overrides).map(([name, { max }]): LimitOverride => {
    if (max !== -1) assertAmount(max);
    return { name, max };
  });
  return checked.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
