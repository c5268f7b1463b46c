/** Finds the one row of a value; rows whose value is null are not in it. */
export class UniqueIndex<Row extends object> {
  readonly #valueOf: (row: Row) => string | null;
  readonly #rows = new Map<string, Row>();

  constructor(valueOf: (row: Row) => string | null) {
    this.#valueOf = valueOf;
  }

  find(value: string): Row | undefined {
    return this.#rows.get(value);
  }

  add(row: Row): void {
    const value = this.#valueOf(row);
    if (value !== null) this.#rows.set(value, row);
  }

  /** Takes out a row; a value that another row has taken over stays that row's. */
  remove(row: Row): void {
    const value = this.#valueOf(row);
    if (value !== null && this.#rows.get(value) === row) this.#rows.delete(value);
  }
}
