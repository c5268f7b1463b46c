/** A statement in the form that better-sqlite3 binds. */
export interface PositionalStatement {
  /** The text with `+?` in place of `$1`, `$2`, … */
  readonly text: string;
  /** For each `?` from the left: the index of its value. */
  readonly order: readonly number[];
}

/** Tokens that may contain a `$1` that is not a parameter (literals, quoted names, comments), or else a parameter. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\d+)/g;

/**
 * Converts a statement with numbered parameters, which may repeat, to positional ones.
 *
 * The plus does not change the value; it hides the parameter from the planner. If the planner depends on a bound value,
 * as for a `LIMIT` or a join, SQLite prepares the statement again on each binding, which takes longer than running it.
 */
export function toPositional(text: string): PositionalStatement {
  const order: number[] = [];
  const positional = text.replaceAll(tokens, (token: string, number: string | undefined) => {
    if (number === undefined) return token;
    order.push(Number(number) - 1);
    return '+?';
  });
  return { text: positional, order };
}
