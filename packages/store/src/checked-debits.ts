import { assertAmount, assertMax, assertMoment, maxConsumed } from './amounts.ts';
import type { WalletDebit, WalletEntry } from './wallets.ts';

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
