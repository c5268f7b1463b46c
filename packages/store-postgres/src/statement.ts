import { randomBytes } from 'node:crypto';
import { type QueryOptions, type SqlRow, type SqlValue, TextCache } from '@x/store-sql';
import pg from 'pg';

/** The result of a statement. */
export interface StatementResult {
  readonly rows: readonly SqlRow[];
  /** Whether rows are missing because of `maxCharacters`. */
  readonly isCut: boolean;
  /** How many rows it returned or changed; null if it does neither, or if not all of them were read. */
  readonly rowCount: number | null;
  /** The first word of its command tag, such as `SELECT` or `COMMIT`. */
  readonly command: string;
}

/** How long the server may work on a statement, and how much of its result to read. */
export interface StatementBounds {
  /** In milliseconds, instead of the limit of the session; null: that one. */
  readonly serverMs: number | null;
  /** The result ends with the row that makes its texts this long, together, in UTF-16 code units. */
  readonly maxCharacters: number;
  /** The columns whose texts don't count. */
  readonly uncounted: ReadonlySet<string> | undefined;
  /** How many rows it returns at most. */
  readonly maxRows: number;
}

/**
 * Returns the bounds of a query. If an index may hold all that it compares, it does not need a limit of its own: to set
 * one would take longer than a hundredth of it.
 */
export function toBounds(
  { comparisons, maxCharacters = Infinity, uncounted, maxRows }: QueryOptions,
  serverMs: number,
): StatementBounds {
  return { serverMs: comparisons === null ? serverMs : null, maxCharacters, uncounted, maxRows };
}

/** A text with its values. */
export interface Step {
  /** The name of this text, for now: it may have been that of another one. Empty: the text is parsed each time. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** What to send, and how to receive the result. */
interface StatementOptions extends Step {
  /** The time limit for the result, in milliseconds. */
  readonly limitMs: number;
  /** Default: the limit of the session, and every row. */
  readonly bounds?: StatementBounds | undefined;
  /** What runs before it, in the same packet, and whose results nobody needs: what begins a transaction, or sets limits. */
  readonly before?: readonly Step[];
  /** Whether another connection to the server may run it the next time, for which its columns may have changed. */
  readonly isPooled?: boolean;
  /** Whether the server shall forget the name again. */
  readonly isOnce?: boolean;
  readonly onResult: (error: unknown, result?: StatementResult) => void;
}

/**
 * How many rows are read at first, and then at a time, where the texts of the result are bounded: a usual page takes
 * one round trip, and rows beyond the bound are hardly more than that.
 */
const [firstRows, moreRows] = [32, 128];

/**
 * A statement that, by its name, each connection parses and describes only once: `pg.Query` has the server describe the
 * columns again with every result, which for a row of twenty costs as much as the row. It implements the interface of
 * `client.query(…)` for custom query classes, such as pg-cursor.
 *
 * All messages up to the `Sync` are one transaction of the server, which settings of its own do not outlive, and during
 * which a pooler passes all of them to one server. Until then the portal stays open too, so that rows can be read in
 * parts.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export class Statement implements pg.Submittable {
  // The client reads these, and wraps the callback if there is a time limit.
  readonly text: string;
  readonly query_timeout: number;
  callback: StatementOptions['onResult'];
  readonly #steps: readonly Step[];
  readonly #bounds: StatementBounds;
  readonly #isPooled: boolean;
  readonly #isOnce: boolean;
  readonly #rows: SqlRow[] = [];
  #known: KnownStatements | undefined;
  #description: RowDescription | undefined;
  /** How many steps are done; the last one is the statement itself. */
  #done = 0;
  #requested = 0;
  #characters = 0;
  #isCut = false;
  #isSynced = false;
  #tag = '';
  #fault: unknown;

  constructor({ name, text, values, limitMs, bounds = unbounded, before = [], ...options }: StatementOptions) {
    this.text = text;
    this.query_timeout = limitMs;
    this.callback = options.onResult;
    this.#steps = [...before, { name, text, values }];
    this.#bounds = bounds;
    this.#isPooled = options.isPooled ?? false;
    this.#isOnce = options.isOnce ?? false;
  }

  submit(connection: pg.Connection): void {
    const statements = knownTo(connection);
    this.#known = statements;
    const wire = connection as WireConnection;
    // One packet for all messages.
    wire.stream.cork();
    // First, since an error skips everything else up to the `Sync`.
    for (const step of this.#steps) statements.forgetOther(wire, step);
    for (const step of this.#steps.slice(0, -1)) {
      this.#bind(wire, step);
      wire.execute(null);
    }
    const last = this.#steps.at(-1);
    if (last) this.#bind(wire, last);
    if (last?.name !== '' && !this.#isPooled) this.#description = statements.descriptions.get(this.text);
    if (this.#description === undefined) wire.describe({ type: 'P', name: '' });
    this.#requestRows(connection);
    wire.stream.uncork();
  }

  /** Has the server parse a text, unless it has, and fill in its values. */
  #bind(wire: WireConnection, { name, text, values }: Step): void {
    if (!this.#known?.isParsed({ name, text })) wire.parse({ name, text });
    wire.bind({ statement: name, values: values.map(toText) });
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#describe(describe(fields));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#isBefore()) return;
    if (this.#isFull()) {
      this.#isCut = true;
      return;
    }
    const { maxCharacters, uncounted } = this.#bounds;
    if (maxCharacters !== Infinity) this.#characters += countCharacters(fields, this.#description, uncounted);
    try {
      this.#rows.push(toRow(this.#description ?? noColumns, fields));
    } catch (error) {
      this.#fault ??= error;
    }
  }

  handlePortalSuspended(connection: pg.Connection): void {
    this.#rememberStep();
    if (!this.#isSynced) this.#requestRows(connection);
  }

  handleCommandComplete({ text }: { readonly text: string }, connection: pg.Connection): void {
    this.#rememberStep();
    if (this.#isBefore()) {
      this.#done += 1;
      return;
    }
    if (this.#description === undefined) this.#describe(noColumns);
    this.#tag = text;
    this.#sync(connection);
  }

  handleEmptyQuery(connection: pg.Connection): void {
    this.#sync(connection);
  }

  handleError(error: unknown, connection: pg.Connection): void {
    // The server waits for that; without an answer of the server there is nobody to tell.
    if (error instanceof pg.DatabaseError) this.#sync(connection);
    this.callback(error);
  }

  handleReadyForQuery(): void {
    if (this.#fault !== undefined) this.callback(this.#fault);
    else this.callback(null, { rows: this.#rows, isCut: this.#isCut, ...parseTag(this.#tag) });
  }

  /** Says whether the step in progress is one before the statement. */
  #isBefore(): boolean {
    return this.#done < this.#steps.length - 1;
  }

  #rememberStep(): void {
    const step = this.#steps[this.#done];
    if (step && !(this.#isOnce && !this.#isBefore())) this.#known?.remember(step);
  }

  /** Says whether the result ends with the rows that it has. */
  #isFull(): boolean {
    return this.#characters >= this.#bounds.maxCharacters && this.#rows.length > 0;
  }

  /** Requests the first or next rows; once the result is full, one more, which tells whether it is cut. */
  #requestRows(connection: pg.Connection): void {
    const { maxCharacters, maxRows } = this.#bounds;
    const wire = connection as WireConnection;
    const count = this.#isFull() ? 1 : this.#requested === 0 ? firstRows : moreRows;
    this.#requested += count;
    const isLast = maxCharacters === Infinity || this.#requested >= maxRows || this.#isFull();
    wire.execute(isLast && !this.#isFull() ? null : { rows: count });
    if (isLast) this.#sync(connection);
    else wire.flush();
  }

  #sync(connection: pg.Connection): void {
    if (this.#isSynced) return;
    this.#isSynced = true;
    const name = this.#steps.at(-1)?.name ?? '';
    if (this.#isOnce) (connection as WireConnection).close({ type: 'S', name });
    connection.sync();
  }

  #describe(description: RowDescription): void {
    this.#description = description;
    if (!this.#isPooled && this.#steps.at(-1)?.name !== '') this.#known?.descriptions.set(this.text, description);
  }
}

const unbounded: StatementBounds = { serverMs: null, maxCharacters: Infinity, uncounted: undefined, maxRows: Infinity };

/** The members of a connection that pg's types lack. */
interface WireConnection extends Omit<pg.Connection, 'parse' | 'bind' | 'describe' | 'execute' | 'close'> {
  close(message: { readonly type: 'S'; readonly name: string }): void;
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
  describe(message: { readonly type: 'P'; readonly name: string }): void;
  /** Requests so many rows, or all. */
  execute(message: { readonly rows: number } | null): void;
}

/** How to read the rows of a statement. */
interface RowDescription {
  readonly columns: readonly { readonly name: string; readonly parse: (text: string) => unknown }[];
  /** A row with every column; filling in a copy is faster than building a row up. */
  readonly empty: SqlRow;
}

const noColumns: RowDescription = { columns: [], empty: {} };

/** What a connection knows of the statements with names. */
class KnownStatements {
  /** How to read their rows, by text. */
  readonly descriptions = new Map<string, RowDescription>();
  /** Their texts, by name; null if it is not certain that the server has parsed it. */
  readonly #texts = new Map<string, string | null>();

  isParsed({ name, text }: Pick<Step, 'name' | 'text'>): boolean {
    return name !== '' && this.#texts.get(name) === text;
  }

  remember({ name, text }: Step): void {
    if (name !== '') this.#texts.set(name, text);
  }

  /** Closes the statement that may have the name of another text. */
  forgetOther(wire: WireConnection, { name, text }: Step): void {
    if (name === '' || this.isParsed({ name, text })) return;
    const parsed = this.#texts.get(name);
    if (parsed !== undefined) wire.close({ type: 'S', name });
    if (typeof parsed === 'string') this.descriptions.delete(parsed);
    this.#texts.set(name, null);
  }
}

const known = new WeakMap<pg.Connection, KnownStatements>();

function knownTo(connection: pg.Connection): KnownStatements {
  const found = known.get(connection);
  if (found) return found;
  const none = new KnownStatements();
  known.set(connection, none);
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

function countCharacters(
  fields: readonly (string | null)[],
  description: RowDescription | undefined,
  uncounted: StatementBounds['uncounted'],
): number {
  let characters = 0;
  for (let index = 0; index < fields.length; index += 1) {
    const text = fields[index];
    const isCounted = uncounted === undefined || !uncounted.has(description?.columns[index]?.name ?? '');
    if (typeof text === 'string' && isCounted) characters += text.length;
  }
  return characters;
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

/**
 * How long the texts with a name may be together. Each connection of the server keeps them parsed and planned, which
 * takes tens of times as much.
 */
const maxLength = 2 ** 19;

/**
 * Names recent statement texts, so that each connection parses and plans them only once. A text that was not used for
 * long loses its name to another one.
 */
export class StatementNames {
  /** Another process may have given the same connection of a pooler its own texts, as long as nothing has shown it. */
  readonly #prefix = randomBytes(4).toString('hex');
  readonly #free: string[] = [];
  readonly #names = new TextCache<string>({ maxLength, onDrop: (name) => this.#free.push(name) });
  #count = 0;

  /** Returns the name of a text, the same while it is in use. */
  of(text: string): string {
    return this.#names.get(text, () => this.#free.pop() ?? `x${this.#prefix}_${(this.#count += 1)}`);
  }
}
