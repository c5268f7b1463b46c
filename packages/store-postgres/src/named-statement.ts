import type { SqlRow, SqlValue } from '@x/store-sql';
import pg from 'pg';

/** What a statement answered. */
export interface StatementResult {
  readonly rows: readonly SqlRow[];
  /** How many rows it returned or changed; null for what does neither. */
  readonly rowCount: number | null;
  /** The first word of what it did, such as `SELECT` or `COMMIT`. */
  readonly command: string;
}

/** What is sent and what hears of the answer. */
export interface NamedStatementOptions {
  /** The same for each statement of this text. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** After so many milliseconds nobody waits for the answer any more. */
  readonly limitMs: number;
  readonly onAnswer: (error: unknown, result?: StatementResult) => void;
}

/**
 * A statement that each connection parses once, and describes once: `pg.Query` has the server say anew with every answer
 * what its columns are called, which for a row of twenty costs as much as the row. The interface is the one of
 * `client.query(…)` for query classes of others, such as pg-cursor.
 */
export class NamedStatement implements pg.Submittable {
  // The client reads these, and wraps the callback where there is a time limit.
  readonly name: string;
  readonly text: string;
  readonly query_timeout: number;
  callback: NamedStatementOptions['onAnswer'];
  readonly #values: readonly SqlValue[];
  readonly #rows: SqlRow[] = [];
  #descriptions: Map<string, RowDescription> | undefined;
  #description: RowDescription | undefined;
  #tag = '';
  #fault: unknown;

  constructor({ name, text, values, limitMs, onAnswer }: NamedStatementOptions) {
    this.name = name;
    this.text = text;
    this.query_timeout = limitMs;
    this.callback = onAnswer;
    this.#values = values;
  }

  submit(connection: pg.Connection): void {
    const { name, text } = this;
    this.#descriptions = descriptionsOf(connection);
    this.#description = this.#descriptions.get(text);
    const wire = connection as WireConnection;
    // One packet for all of it.
    wire.stream.cork();
    if (wire.parsedStatements[name] === undefined) wire.parse({ name, text });
    wire.bind({ statement: name, values: this.#values.map(toText) });
    if (this.#description === undefined) wire.describe({ type: 'P', name: '' });
    wire.execute(null);
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#describe(describe(fields));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      this.#rows.push(toRow(this.#description ?? noColumns, fields));
    } catch (error) {
      this.#fault ??= error;
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (this.#description === undefined) this.#describe(noColumns);
    this.#tag = text;
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    if (this.#fault !== undefined) this.callback(this.#fault);
    else this.callback(null, { rows: this.#rows, ...parseTag(this.#tag) });
  }

  #describe(description: RowDescription): void {
    this.#description = description;
    this.#descriptions?.set(this.text, description);
  }
}

/** What the types of pg leave out of a connection. */
interface WireConnection extends Omit<pg.Connection, 'parse' | 'bind' | 'describe' | 'execute'> {
  /** The texts of the statements that the server has parsed, by name; the client keeps it. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
  describe(message: { readonly type: 'P'; readonly name: string }): void;
  execute(message: null): void;
}

/** How the rows of a statement are read. */
interface RowDescription {
  readonly columns: readonly { readonly name: string; readonly parse: (text: string) => unknown }[];
  /** Has every column; a copy that is filled in is quicker than a row that is built up. */
  readonly empty: SqlRow;
}

const noColumns: RowDescription = { columns: [], empty: {} };

/** What each connection has said of its statements, by their text. */
const described = new WeakMap<pg.Connection, Map<string, RowDescription>>();

function descriptionsOf(connection: pg.Connection): Map<string, RowDescription> {
  const known = described.get(connection);
  if (known) return known;
  const none = new Map<string, RowDescription>();
  described.set(connection, none);
  return none;
}

function describe(fields: readonly pg.FieldDef[]): RowDescription {
  const columns = fields.map(({ name, dataTypeID }) => {
    const parse: (text: string) => unknown = pg.types.getTypeParser(dataTypeID, 'text');
    return { name, parse };
  });
  return { columns, empty: Object.fromEntries(columns.map(({ name }) => [name, null])) };
}

function toRow({ columns, empty }: RowDescription, fields: readonly (string | null)[]): SqlRow {
  const row: Record<string, unknown> = { ...empty };
  for (let index = 0; index < columns.length; index += 1) {
    const [column, text] = [columns[index], fields[index]];
    if (column !== undefined && typeof text === 'string') row[column.name] = column.parse(text);
  }
  return row;
}

function toText(value: SqlValue): string | null {
  return value === null || typeof value === 'string' ? value : String(value);
}

/** Parses what a command says when it is done, such as `INSERT 0 1`. */
function parseTag(tag: string): Pick<StatementResult, 'command' | 'rowCount'> {
  const [command = '', ...counts] = tag.split(' ');
  const last = counts.at(-1);
  return { command, rowCount: last === undefined || !/^\d+$/.test(last) ? null : Number(last) };
}
