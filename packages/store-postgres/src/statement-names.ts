/** Far more than the constant texts. Each connection keeps what it has prepared until it is closed. */
const maxNames = 500;

/**
 * Names texts, so that each connection parses and plans one only once. Texts after the first {@link maxNames} stay
 * without a name and are parsed each time.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** Returns the name of a text, the same each time; undefined where it has none. */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= maxNames) return known;
    const name = `x${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}
