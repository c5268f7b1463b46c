import type { EntityValue } from './entity-store.ts';

/**
 * What a column of an entity holds. `integer` are safe integers, `number` are finite, `timestamp` are moments in whole
 * milliseconds, `json` is any JSON value but null and compares with nothing.
 */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'json';

/** One column of an entity's table. Its name matches `/^[a-z][A-Za-z0-9]{0,39}$/`. */
export interface EntityColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** What rows hold that were stored before there was the column; of a timestamp, `'now'` is the moment it was added. */
  readonly default?: Exclude<EntityValue, null>;
  /** No two rows hold one value; any number may hold null. */
  readonly unique?: boolean;
  readonly references?: EntityReference;
  /** The name that the column had in an earlier declaration. */
  readonly renamedFrom?: string;
}

/** The entity whose row a text column names by its id. */
export interface EntityReference {
  readonly entity: string;
  /** What becomes of a row when the one it names is deleted: it goes too, or stands in the way. */
  readonly onDelete: 'restrict' | 'cascade';
}

/**
 * The table of one entity, as an app declares it; its name matches `/^[a-z][a-z0-9-]{0,39}$/`. Every table also has the
 * text `id`, by which rows are told apart, and a version that no row shows.
 */
export interface EntityTable {
  readonly name: string;
  /** All columns but the id. */
  readonly columns: readonly EntityColumn[];
  /** Columns by which rows are found together. Ids, references and unique columns have an index anyway. */
  readonly indexes: readonly (readonly string[])[];
}
