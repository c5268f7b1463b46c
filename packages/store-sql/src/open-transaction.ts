import type { SqlRow, SqlValues } from './sql-driver.ts';

/** An open transaction on a connection, as an engine package provides it. */
export interface OpenTransaction {
  /** False once it was committed or rolled back, also by the engine itself; every call throws then. */
  readonly isOpen: boolean;

  /** Runs a statement that returns rows. */
  all(text: string, values: SqlValues): readonly SqlRow[] | Promise<readonly SqlRow[]>;

  /** Runs a statement that returns no rows, and says how many it changed. */
  run(text: string, values?: SqlValues): number | Promise<number>;
}
