/** Small named whole numbers, shared by all processes on the database. They start at 0. */
export interface CounterStore {
  read(name: string): Promise<number>;

  /** Adds a whole number, which may be negative, and returns the sum. No concurrent addition is lost. */
  add(name: string, amount: number): Promise<number>;
}
