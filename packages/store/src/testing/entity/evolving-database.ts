import type { EntityTable } from '../../entity/entity-table.ts';
import type { Stores } from '../../stores.ts';

/** An empty database whose declared entities change from one opening to the next. */
export interface EvolvingDatabase {
  /** Opens stores that are not migrated yet. */
  open(entities: readonly EntityTable[]): Promise<Stores>;

  /** Closes what was opened and removes the database. */
  drop(): Promise<void>;
}
