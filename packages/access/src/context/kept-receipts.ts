import type { WalletReceipt } from '@x/store';

/** The receipts of what a request has consumed, so that it can be taken back, the last first. */
export class KeptReceipts {
  readonly #receipts = new Map<string, WalletReceipt[]>();

  add(key: string, receipt: WalletReceipt): void {
    const kept = this.#receipts.get(key) ?? [];
    this.#receipts.set(key, [...kept.filter(({ id }) => id !== receipt.id), receipt]);
  }

  /** Returns the last receipt, without removing it. */
  last(key: string): WalletReceipt | undefined {
    return this.#receipts.get(key)?.at(-1);
  }

  remove(key: string, receipt: WalletReceipt): void {
    const kept = this.#receipts.get(key) ?? [];
    this.#receipts.set(
      key,
      kept.filter(({ id }) => id !== receipt.id),
    );
  }
}
