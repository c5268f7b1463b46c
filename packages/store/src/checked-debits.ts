import { assertAmount, assertMax, assertMoment, maxConsumed } from './amounts.ts';
import type { WalletDebit, WalletEntry } from './wallets.ts';

/** A debit or credit as the stores go by it: a copy that nobody changes, its moment in milliseconds since 1970. */
export interface CheckedEntry {
  readonly limit: string;
  readonly periodStart: number;
  readonly amount: number;
}

/** A checked debit. */
export interface CheckedDebit extends CheckedEntry {
  /** The greatest counter that the amount can be added to; negative where it never can. */
  readonly highest: number;
}

/**
 * Checks debits and copies them.
 *
 * @throws TypeError for an amount or a maximum that is none, for no debits, and for two of one limit
 */
export function checkDebits(debits: readonly WalletDebit[]): readonly CheckedDebit[] {
  for (const { max } of debits) assertMax(max);
  const highest = debits.map(({ max, amount }) => (max === -1 ? maxConsumed : max - amount));
  return checkEntries(debits).map((entry, index) => ({ ...entry, highest: highest[index] ?? -1 }));
}

/**
 * Checks entries and copies them.
 *
 * @throws TypeError for an amount that is none, for no entries, and for two of one limit
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
