import type { CheckedEntry } from './checked-debits.ts';
import type { WalletReceipt } from './wallets.ts';

/** The parts of a receipt. */
export interface ReceiptSource {
  readonly id: string;
  readonly tenantId: string;
  readonly entries: readonly CheckedEntry[];
}

/** Builds the receipt of what was consumed. */
export function toReceipt({ id, tenantId, entries }: ReceiptSource): WalletReceipt {
  return {
    id,
    tenantId,
    entries: entries.map(({ limit, periodStart, amount }) => ({ limit, periodStart: new Date(periodStart), amount })),
  };
}
