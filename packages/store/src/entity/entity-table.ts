import type { EntityValue } from './entity-store.ts';

/**
 * The type of a column. `integer` are safe integers, `number` are finite, `timestamp` are dates in whole milliseconds,
 * `json` is any JSON value except null and can't be compared.
 */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'json';

/** One column of an entity's table. Its name matches `/^[a-z][A-Za-z0-9]{0,39}$/`. */
export interface EntityColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /**
   * The value for rows that were stored before the column existed; `'now'` for a timestamp is the moment it was added.
   */
  readonly default?: Exclude<EntityValue, null>;
  /** No two rows may have the same value; any number may have null. */
  readonly unique?: boolean;
  readonly references?: EntityReference;
  /** The name of the column in an earlier declaration. */
  readonly renamedFrom?: string;
}

/** The entity that a text column refers to by id. */
export interface EntityReference {
  readonly entity: string;
  /** What happens to a row when the one it refers to is deleted: it is deleted too, or prevents the deletion. */
  readonly onDelete: 'restrict' | 'cascade';
}

/**
 * The table of one entity, as an app declares it; its name matches `/^[a-z][a-z0-9-]{0,39}$/`. Every table also has the
 * text column `id`, its primary key, and a version that is not part of rows.
 */
export interface EntityTable {
  readonly name: string;
  /** All columns except the id. */
  readonly columns: readonly EntityColumn[];
  /** Groups of columns that rows are looked up by together. Ids, references and unique columns always have an index. */
  readonly indexes: readonly (readonly string[])[];
}
