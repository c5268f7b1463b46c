import type { WalletReceipt } from '@x/store';

/** The receipts of what one request consumed, so that it can take it back, the last first. */
export class KeptReceipts {
  readonly #receipts = new Map<string, WalletReceipt[]>();

  add(key: string, receipt: WalletReceipt): void {
    const kept = this.#receipts.get(key) ?? [];
    this.#receipts.set(key, [...kept.filter(({ id }) => id !== receipt.id), receipt]);
  }

  /** Returns the last receipt, which stays until {@link remove} takes it away. */
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
