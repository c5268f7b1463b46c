import type { SqlRow, SqlValue } from '@x/store-sql';
import pg from 'pg';

/** The result of a statement. */
export interface StatementResult {
  readonly rows: readonly SqlRow[];
  /** How many rows it returned or changed; null if it does neither. */
  readonly rowCount: number | null;
  /** The first word of its command tag, such as `SELECT` or `COMMIT`. */
  readonly command: string;
}

/** What to send, and how to receive the result. */
interface NamedStatementOptions {
  /** The same for each statement with this text. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** The time limit for the result, in milliseconds. */
  readonly limitMs: number;
  readonly onResult: (error: unknown, result?: StatementResult) => void;
}

/**
 * A statement that each connection parses and describes only once: `pg.Query` has the server describe the columns again
 * with every result, which for a row of twenty costs as much as the row. It implements the interface of
 * `client.query(…)` for custom query classes, such as pg-cursor.
 */
export class NamedStatement implements pg.Submittable {
  // The client reads these, and wraps the callback if there is a time limit.
  readonly name: string;
  readonly text: string;
  readonly query_timeout: number;
  callback: NamedStatementOptions['onResult'];
  readonly #values: readonly SqlValue[];
  readonly #rows: SqlRow[] = [];
  #descriptions: Map<string, RowDescription> | undefined;
  #description: RowDescription | undefined;
  #tag = '';
  #fault: unknown;

  constructor({ name, text, values, limitMs, onResult }: NamedStatementOptions) {
    this.name = name;
    this.text = text;
    this.query_timeout = limitMs;
    this.callback = onResult;
    this.#values = values;
  }

  submit(connection: pg.Connection): void {
    const { name, text } = this;
    this.#descriptions = descriptionsOf(connection);
    this.#description = this.#descriptions.get(text);
    const wire = connection as WireConnection;
    // One packet for all messages.
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

/** The members of a connection that pg's types lack. */
interface WireConnection extends Omit<pg.Connection, 'parse' | 'bind' | 'describe' | 'execute'> {
  /** The texts of the statements that the server has parsed, by name; maintained by the client. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
  describe(message: { readonly type: 'P'; readonly name: string }): void;
  execute(message: null): void;
}

/** How to read the rows of a statement. */
interface RowDescription {
  readonly columns: readonly { readonly name: string; readonly parse: (text: string) => unknown }[];
  /** A row with every column; filling in a copy is faster than building a row up. */
  readonly empty: SqlRow;
}

const noColumns: RowDescription = { columns: [], empty: {} };

/** The descriptions of statements, by connection and text. */
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

/** Parses a command tag such as `INSERT 0 1`. */
function parseTag(tag: string): Pick<StatementResult, 'command' | 'rowCount'> {
  const [command = '', ...counts] = tag.split(' ');
  const last = counts.at(-1);
  return { command, rowCount: last === undefined || !/^\d+$/.test(last) ? null : Number(last) };
}

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
