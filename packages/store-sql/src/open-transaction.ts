import type { SqlRow, SqlValues } from './sql-driver.ts';

/** A transaction that is open on a connection, as an engine package offers it. */
export interface OpenTransaction {
  /** False once it was committed or undone, also by the engine itself; every call throws then. */
  readonly isOpen: boolean;

  /** Runs a statement that returns rows. */
  all(text: string, values: SqlValues): readonly SqlRow[] | Promise<readonly SqlRow[]>;

  /** Runs a statement that returns no rows, and says how many it changed. */
  run(text: string, values?: SqlValues): number | Promise<number>;
}
