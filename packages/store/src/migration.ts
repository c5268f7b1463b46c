import type { AppSql } from './app-sql.ts';

/**
 * A step of the app's own that `migrate()` takes once in the life of a database. All are taken in their order, each in
 * a transaction of its own, after the tables of entities have their new columns and before any is dropped, tightened or
 * converted: a step sees the old columns and the new ones.
 */
export interface OwnMigration {
  /** Is stored once the step was taken, so it never changes: `2026-01-fill-slugs`. */
  readonly id: string;
  /**
   * Runs statements, in the dialect of the engine. It waits for each of them and does nothing else: other effects are
   * not undone if it has to run again.
   */
  up(sql: AppSql): Promise<void>;
}

/** How `migrate()` may change the database. */
export interface MigrateOptions {
  /**
   * Takes the steps that only suit the new declaration: columns that are dropped, required, unique or converted.
   * Processes of earlier versions must have ended. Default false: such steps wait, and a start that needs one is
   * refused.
   */
  readonly allowContract?: boolean;
  /**
   * Makes an earlier declaration the current one again. Default false: a process that declares it is an earlier version
   * beside a newer one, and changes nothing.
   */
  readonly revert?: boolean;
  /** Is called after each batch of a step that changes rows. */
  readonly onProgress?: (progress: MigrationProgress) => void;
}

/** How far a step that changes rows has come. */
export interface MigrationProgress {
  /** The title of the step, see {@link MigrationStep.title}. */
  readonly step: string;
  /** How many rows this call has changed so far. */
  readonly rows: number;
}

/** One change on the way to a declaration. */
export interface MigrationStep {
  /** `expand` is safe beside processes of the previous declaration; `contract` waits for `allowContract`. */
  readonly kind: 'expand' | 'contract';
  /** Null for a step of the app's own. */
  readonly entity: string | null;
  /** Its effect, such as `make notes.title unique`. */
  readonly title: string;
  /** The SQL, that of one batch if it runs in batches; null if only the app knows it, or only the history changes. */
  readonly statement: string | null;
  /** The statements that wait for it: none, others on the table for a moment, or writes for as long as it takes. */
  readonly locks: 'nothing' | 'briefly' | 'writes';
}

/** What `migrate()` has done, and left undone. */
export interface MigrationOutcome {
  /** The steps that were taken, in their order; of a new table, only that it was created. */
  readonly taken: readonly MigrationStep[];
  /** The steps that wait for `allowContract`. */
  readonly waiting: readonly MigrationStep[];
  /** One sentence for each difference that this version runs with, such as a newer declaration. */
  readonly notices: readonly string[];
}

/** A step, and how many rows it reads or changes now. */
export interface PlannedStep extends MigrationStep {
  readonly rows: number;
}

/** The steps that `migrate()` would take now. */
export interface MigrationPlan {
  readonly steps: readonly PlannedStep[];
  /** Why the declaration can't be followed, one sentence each: `migrate()` would throw them, and change nothing. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}
