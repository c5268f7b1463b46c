/** Far more than there are constant texts. Each connection keeps its prepared statements until it is closed. */
const maxNames = 500;

/**
 * Names statement texts, so that each connection parses and plans them only once. Texts after the first {@link
 * maxNames} get no name and are parsed each time.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** Returns the name of a text, always the same; undefined if it has none. */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= maxNames) return known;
    const name = `x${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}
