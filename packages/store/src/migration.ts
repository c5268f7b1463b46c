/** How `migrate()` may change the database. */
export interface MigrateOptions {
  /**
   * Takes the steps that only suit the new declaration: what is dropped, required, unique or converted. Processes of
   * earlier versions must have ended. Default false: such steps wait, and a start that needs one is refused.
   */
  readonly allowContract?: boolean;
  /**
   * Makes an earlier declaration the current one again. Default false: who declares it is an earlier version that runs
   * beside a newer one, and changes nothing.
   */
  readonly revert?: boolean;
  /** Is called after each batch of a step that changes rows. */
  readonly onProgress?: (progress: MigrationProgress) => void;
}

/** How far a step that changes rows has come. */
export interface MigrationProgress {
  /** What the step does, as {@link MigrationStep.title} says. */
  readonly step: string;
  /** How many rows this call has changed so far. */
  readonly rows: number;
}

/** One change on the way to a declaration. */
export interface MigrationStep {
  /** `expand` is safe beside processes of the previous declaration; `contract` waits for `allowContract`. */
  readonly kind: 'expand' | 'contract';
  readonly entity: string;
  /** What it does, such as `make notes.title unique`. */
  readonly title: string;
  /** The SQL, that of one batch if it runs in batches; null if only the history of declarations changes. */
  readonly statement: string | null;
  /** What waits for it: nothing, other statements on the table for a moment, or writes for as long as it takes. */
  readonly locks: 'nothing' | 'briefly' | 'writes';
}

/** What `migrate()` has left undone. */
export interface MigrationOutcome {
  /** The steps that wait for `allowContract`. */
  readonly waiting: readonly MigrationStep[];
  /** One sentence for each difference that this version runs with, such as a newer declaration. */
  readonly notices: readonly string[];
}

/** A step, and how many rows it reads or changes now. */
export interface PlannedStep extends MigrationStep {
  readonly rows: number;
}

/** What `migrate()` would do now. */
export interface MigrationPlan {
  readonly steps: readonly PlannedStep[];
  /** Why the declaration can't be followed, one sentence each: `migrate()` would throw them, and change nothing. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}
