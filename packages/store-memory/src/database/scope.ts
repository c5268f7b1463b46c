/** The work of one step, run synchronously on the tables of its scope, at one moment. */
export type Step<Tables, Outcome> = (tables: Tables, now: Date) => Outcome;

/**
 * Runs the steps of a store on the tables that it needs: the committed ones, or those of a transaction. A step runs
 * synchronously, so it is atomic.
 */
export interface Scope<Tables> {
  read<Outcome>(step: Step<Tables, Outcome>): Promise<Outcome>;

  /** Runs a reading step at once, without a promise. */
  readNow<Outcome>(step: (tables: Tables) => Outcome): Outcome;

  /** Runs a step that changes the tables; it may have to wait for a transaction of another writer. */
  write<Outcome>(step: Step<Tables, Outcome>): Promise<Outcome>;
}
