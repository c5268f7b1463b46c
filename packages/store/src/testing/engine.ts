import type { Clock } from '../clock.ts';
import type { Stores } from '../stores.ts';

/** What an adapter hands to the contract suites: a way to make databases of its kind. */
export interface StoreEngine {
  /** Makes an empty database with the current schema and the tables of `sampleEntities`. */
  createDatabase(): Promise<TestDatabase>;
}

/** One database of an engine, for one test. */
export interface TestDatabase {
  /** Opens stores with `sampleEntities` on the database, as one more process on it would. */
  open(clock: Clock, limits?: TestLimits): Promise<Stores>;

  /** Closes what was opened and removes the database. */
  drop(): Promise<void>;
}

/** Limits of opened stores that the suites shorten, so that they need not wait so long. */
export interface TestLimits {
  /** How long a transaction, or a close, may take; 5000 by default. */
  readonly maxTransactionMs: number;
}
