/** Small named whole numbers that every process on the database shares; one that was never added to is 0. */
export interface CounterStore {
  read(name: string): Promise<number>;

  /** Adds a whole number, which may be negative, and returns the sum. No concurrent addition is lost. */
  add(name: string, amount: number): Promise<number>;
}
