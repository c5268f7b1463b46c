import type { SqlRow, SqlValues } from '@x/store-sql';
import { assertStorableText } from '@x/store/engine';
import type Database from 'better-sqlite3';
import { isBusy, toStoreError } from './errors.ts';

type BoundValue = string | number | null;

/** Far more than there are constant texts; a dropped statement is left to the garbage collector. */
const maxStatements = 500;

interface CachedStatement {
  readonly statement: Database.Statement<BoundValue[], SqlRow>;
  readonly order: readonly number[];
}

/**
 * A connection that caches the prepared statements of recent texts, and throws the errors of the store contracts. Every
 * call blocks until SQLite has answered.
 */
export class SqliteConnection {
  readonly #database: Database.Database;
  readonly #statements = new LruCache<string, CachedStatement>(maxStatements);

  constructor(database: Database.Database) {
    this.#database = database;
  }

  /** Whether a transaction is open; SQLite itself ends one on some failures. */
  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Runs a statement that returns rows. */
  all(text: string, values: SqlValues): readonly SqlRow[] {
    return withStoreErrors(() => {
      const { statement, order } = this.#prepare(text);
      return statement.all(...toBound(values, order));
    });
  }

  /** Runs a statement that returns no rows, and says how many it changed. */
  run(text: string, values: SqlValues = []): number {
    return withStoreErrors(() => {
      const { statement, order } = this.#prepare(text);
      return statement.run(...toBound(values, order)).changes;
    });
  }

  /** Runs a text of several statements without values. */
  runScript(text: string): void {
    withStoreErrors(() => this.#database.exec(text));
  }

  /** Opens a transaction that may write. False if another connection is writing. */
  tryBegin(): boolean {
    this.rollback();
    return withStoreErrors(() => {
      try {
        this.#prepare('BEGIN IMMEDIATE').statement.run();
        return true;
      } catch (error) {
        if (isBusy(error)) return false;
        throw error;
      }
    });
  }

  /** Commits the open transaction. */
  commit(): void {
    this.run('COMMIT');
  }

  /** Rolls back the open transaction, if there is one. */
  rollback(): void {
    if (this.inTransaction) this.run('ROLLBACK');
  }

  close(): void {
    this.#database.close();
  }

  #prepare(text: string): CachedStatement {
    return this.#statements.get(text, () => {
      const { text: positional, order } = toPositional(text);
      return { statement: this.#database.prepare<BoundValue[], SqlRow>(positional), order };
    });
  }
}

function toBound(given: SqlValues, order: readonly number[]): BoundValue[] {
  const values = typeof given === 'function' ? given() : given;
  return order.map((index) => {
    const value = values[index];
    if (value === undefined) throw new TypeError(`The statement binds $${index + 1}, which has no value.`);
    if (typeof value === 'string') assertStorableText(value);
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

/** A cache with a maximum size, which drops the least recently used entry. */
export class LruCache<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #maxSize: number;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value of a key, creating it if there is none. */
  get(key: Key, create: (key: Key) => Value): Value {
    const value = this.#entries.get(key) ?? create(key);
    // A map keeps insertion order: the first entry is the oldest.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#maxSize) this.#deleteOldest();
    return value;
  }

  #deleteOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      return;
    }
  }
}
