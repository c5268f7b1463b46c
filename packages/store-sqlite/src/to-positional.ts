/** A statement as better-sqlite3 binds it. */
export interface PositionalStatement {
  /** The text with `+?` in place of `$1`, `$2`, … */
  readonly text: string;
  /** For each `?` from the left: the index of its value. */
  readonly order: readonly number[];
}

/** What may hold a `$1` that is none (literals, quoted names, comments), or else a parameter. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\d+)/g;

/**
 * Converts a statement with numbered parameters, which may repeat, to positional ones.
 *
 * The plus changes no value; it hides the parameter from the planner. Where the planner looks at a bound value, as it
 * does for a `LIMIT` or a join, SQLite prepares the statement anew each time it is bound, which takes longer than to
 * run it.
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
