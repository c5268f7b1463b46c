import type { ConsumeOutcome, Consumption, WalletEntry, WalletReceipt } from '@x/store';

/** One tenant's counters in a plain map: what the wallet contract says, and no cleverer. */
export class NaiveWallet {
  readonly #consumed = new Map<string, number>();
  readonly #receipts = new Map<string, WalletReceipt>();
  readonly #receiptOfKey = new Map<string, WalletReceipt>();
  readonly #takenBack = new Set<string>();

  read(entry: Pick<WalletEntry, 'limit' | 'periodStart'>): number {
    return this.#consumed.get(toName(entry)) ?? 0;
  }

  receipt(id: string): WalletReceipt | undefined {
    return this.#receipts.get(id);
  }

  consume({ tenantId, receiptId, idempotencyKey, debits }: Consumption): ConsumeOutcome {
    const readAll = (): readonly number[] => debits.map((debit) => this.read(debit));
    const earlier = idempotencyKey === undefined ? undefined : this.#receiptOfKey.get(idempotencyKey);
    if (earlier) return { outcome: 'repeated', receipt: earlier, consumed: readAll() };
    const refused = debits.filter((debit) => debit.max !== -1 && this.read(debit) + debit.amount > debit.max);
    if (refused.length > 0) {
      return { outcome: 'refused', refusedBy: refused.map(({ limit }) => limit), consumed: readAll() };
    }
    for (const debit of debits) this.#consumed.set(toName(debit), this.read(debit) + debit.amount);
    const entries = debits.map(({ limit, periodStart, amount }) => ({ limit, periodStart, amount }));
    const receipt: WalletReceipt = { id: receiptId, tenantId, entries };
    this.#receipts.set(receiptId, receipt);
    if (idempotencyKey !== undefined) this.#receiptOfKey.set(idempotencyKey, receipt);
    return { outcome: 'consumed', receipt, consumed: readAll() };
  }

  unconsume(receipt: WalletReceipt): boolean {
    if (this.#takenBack.has(receipt.id)) return false;
    this.#takenBack.add(receipt.id);
    for (const [key, { id }] of this.#receiptOfKey) if (id === receipt.id) this.#receiptOfKey.delete(key);
    this.credit(receipt.entries);
    return true;
  }

  credit(entries: readonly WalletEntry[]): void {
    for (const entry of entries) this.#consumed.set(toName(entry), Math.max(0, this.read(entry) - entry.amount));
  }
}

function toName({ limit, periodStart }: Pick<WalletEntry, 'limit' | 'periodStart'>): string {
  return `${limit} ${periodStart.getTime()}`;
}
