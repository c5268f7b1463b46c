import type { EntityTable, OwnMigration, Stores } from '@x/store';

/** An empty database whose declared entities change from one opening to the next. */
export interface EvolvingDatabase {
  /** Opens stores that are not migrated yet, and keep the feed of changes unless `changes` is false. */
  open(entities: readonly EntityTable[], migrations?: readonly OwnMigration[], changes?: boolean): Promise<Stores>;

  /**
   * Starts a process that migrates to `convertedEntities`, and resolves when it begins.
   *
   * @param batches - after how many batches it is killed; null if it may come to its end
   */
  startMigration(batches: number | null): Promise<KillableProcess>;

  /** Closes what was opened and removes the database. */
  drop(): Promise<void>;
}

/** A process of its own. */
interface KillableProcess {
  /** Kills it, if it has not ended yet, and resolves when it is gone. */
  kill(): Promise<void>;

  /** Resolves when it is gone. */
  readonly ended: Promise<unknown>;
}
