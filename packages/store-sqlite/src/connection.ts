import { cutRows, type QueryOptions, type QueryResult, type SqlRow, type SqlValues, toValues } from '@x/store-sql';
import type Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { isBusy, toStoreError } from './errors.ts';
import { defineFunctions } from './functions.ts';
import { maxStatementMs, RowGuard } from './row-guard.ts';

type BoundValue = string | number | null;

/** How long the texts of cached statements may be: some 15 MB of SQLite's memory. The demo has 50 000 of its own. */
const maxTextLength = 2 ** 19;

/** How long the texts of dropped statements may be before the database is opened again, which releases them. */
const maxDroppedLength = 2 ** 18;

/** How many rows are read at once. Reading more one by one, which can be stopped, takes twice as long. */
const maxRowsAtOnce = 32;

interface CachedStatement {
  readonly statement: Database.Statement<BoundValue[], SqlRow>;
  readonly order: readonly number[];
}

/** How a connection may use its database. */
interface ConnectionOptions {
  /** Opens the same database again. Default: not possible, as in memory. */
  readonly reopen?: (() => Database.Database) | undefined;
  /** Whether the app has opened the database, and uses it, too. Default: no. */
  readonly isGiven?: boolean;
}

/**
 * A connection that caches the prepared statements of recent texts, and throws the errors of the store contracts. Every
 * call blocks until SQLite has answered.
 *
 * Only the garbage collector releases a statement, and it does not know that a statement takes thirty times the length
 * of its text. So clients whose queries always have new texts could take hundreds of megabytes. Closing the database
 * releases all statements at once, and preparing them again takes some milliseconds.
 */
export class SqliteConnection {
  readonly #options: ConnectionOptions;
  readonly #guard = new RowGuard();
  #database: Database.Database;
  #statements = this.#createCache();
  #droppedLength = 0;

  constructor(database: Database.Database, options: ConnectionOptions = {}) {
    this.#options = options;
    this.#database = defineFunctions(database, this.#guard);
  }

  /** Whether a transaction is open. SQLite itself ends a transaction on some failures. */
  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** The open database. It may be replaced by another one while no transaction is open. */
  get database(): Database.Database {
    return this.#database;
  }

  /** Runs a statement, and returns its rows, if it has any. */
  all(text: string, values: SqlValues): readonly SqlRow[] {
    return withStoreErrors(() => {
      const { statement, order } = this.#prepare(text);
      this.#guard.begin(maxStatementMs);
      const bound = toBound(values, order);
      if (statement.reader) return statement.all(...bound);
      statement.run(...bound);
      return [];
    });
  }

  /**
   * Runs a query.
   *
   * @param limitMs - how long it may visit rows
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if it takes longer
   */
  query(text: string, values: SqlValues, options: QueryOptions, limitMs: number = maxStatementMs): QueryResult {
    return withStoreErrors(() => {
      const { statement, order } = this.#prepare(text);
      const bound = toBound(values, order);
      this.#guard.begin(limitMs);
      const isShort = options.maxRows <= maxRowsAtOnce || options.maxCharacters === undefined;
      return cutRows(isShort ? statement.all(...bound) : statement.iterate(...bound), options);
    });
  }

  /** Runs a statement that returns no rows, and says how many it changed. */
  run(text: string, values: SqlValues = []): number {
    return withStoreErrors(() => {
      const { statement, order } = this.#prepare(text);
      this.#guard.begin(maxStatementMs);
      return statement.run(...toBound(values, order)).changes;
    });
  }

  /** Runs a text of several statements without values. */
  runScript(text: string): void {
    withStoreErrors(() => this.#database.exec(text));
  }

  /**
   * Opens a transaction that may write. False if another connection is writing, or the app has a transaction open here.
   */
  tryBegin(): boolean {
    if (this.#options.isGiven && this.inTransaction) return false;
    this.rollback();
    try {
      this.run('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (error instanceof Error && isBusy(error.cause)) return false;
      throw error;
    }
  }

  /** Rolls back the open transaction, if there is one. */
  rollback(): void {
    if (this.inTransaction) this.run('ROLLBACK');
  }

  /** Closes the database, unless that is up to the app. */
  close(): void {
    if (!this.#options.isGiven) this.#database.close();
  }

  #prepare(text: string): CachedStatement {
    if (this.#droppedLength > maxDroppedLength && !this.inTransaction) this.#releaseStatements();
    const known = this.#statements.get(text);
    if (known) return known;
    const { text: positional, order } = toPositional(text);
    const statement = this.#database.prepare<BoundValue[], SqlRow>(positional);
    // The app may have chosen bigints for the integers of its own statements.
    if (this.#options.isGiven && statement.reader) statement.safeIntegers(false);
    const prepared = { statement, order };
    this.#statements.set(text, prepared);
    return prepared;
  }

  #releaseStatements(): void {
    this.#droppedLength = 0;
    try {
      const database = this.#options.reopen?.();
      if (!database) return;
      this.#database.close();
      this.#database = defineFunctions(database, this.#guard);
      this.#statements = this.#createCache();
    } catch {
      // Another process locks the file, or there is no file descriptor left: the open database still works.
    }
  }

  #createCache(): LRUCache<string, CachedStatement> {
    return new LRUCache({
      maxSize: maxTextLength,
      sizeCalculation: (_, { length }) => length,
      dispose: (_, { length }) => void (this.#droppedLength += length),
    });
  }
}

function toBound(given: SqlValues, order: readonly number[]): BoundValue[] {
  const values = toValues(given);
  return order.map((index) => {
    const value = values[index];
    if (value === undefined) throw new TypeError(`The statement binds $${index + 1}, which has no value.`);
    return typeof value === 'boolean' ? Number(value) : value;
  });
}

function withStoreErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw toStoreError(error);
  }
}

/** A statement in the form that better-sqlite3 binds. */
interface PositionalStatement {
  /** The text with `+?` in place of `$1`, `$2`, … */
  readonly text: string;
  /** For each `?` from the left: the index of its value. */
  readonly order: readonly number[];
}

/** Matches a token that may contain a `$1` that is no parameter (literal, quoted name, comment), or a parameter. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\d+)/g;

/**
 * Converts a statement with numbered parameters, which may repeat, to positional ones.
 *
 * The plus does not change the value, but hides the parameter from the planner. If the planner depends on a bound
 * value, as for a `LIMIT` or a join, SQLite prepares the statement again on each binding, which takes longer than
 * running it.
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
