import type { JsonValue } from '../values.ts';
import type { Where, WhereValue } from '../where/where.ts';
import type { SortKey } from './sort-key.ts';

/** The value of one column of an entity's row. */
export type EntityValue = JsonValue | Date;

/** The values of some columns of an entity's row. */
export type EntityValues = Readonly<Record<string, EntityValue>>;

/** One row of an entity: its id and every declared column. */
export type EntityRow = EntityValues & { readonly id: string };

/** A row as stored. */
export interface EntityRecord {
  readonly row: EntityRow;
  /** How often the row has been written, starting at 1; sent as its `ETag`. */
  readonly version: number;
}

/** Which rows of an entity to list, and from where. */
export interface EntityListing {
  /** The access condition and the caller's filter, already joined. */
  readonly where: Where;
  /** A total order: it ends with the id. */
  readonly order: readonly SortKey[];
  /** The sort key of the row after which to continue; null for the start. That row need not exist any more. */
  readonly after: readonly (WhereValue | null)[] | null;
  /** The maximum number of rows. */
  readonly limit: number;
}

/** Which related rows to list. */
export interface RelatedListing {
  /** The column that refers to the other rows. */
  readonly column: string;
  /** The values of that column to look for. */
  readonly values: readonly string[];
  readonly where: Where;
  /** The maximum number of rows for each value: those with the lowest ids. */
  readonly limitEach: number;
}

/** Which row to change, and under which conditions. */
export interface EntityCondition {
  /** The access condition: a row that does not satisfy it at the moment of the change is not touched. */
  readonly where: Where;
  /** The version that the row must still have. Absent: any. */
  readonly version?: number;
}

/** A change of one row. */
export interface EntityChange extends EntityCondition {
  /** The columns to change, at least one. */
  readonly values: EntityValues;
}

/**
 * The rows of the app's entities. Each method is one atomic step; several can be joined in a transaction.
 *
 * Entities and columns are named as declared. Any other name, or a value that its column can't store, is a programming
 * error and throws `TypeError`. A unique value that another row has, a reference to a missing row, and the deletion of
 * a row that another one refers to are a `CodedError` `CONFLICT`, which changes nothing; a transaction that catches it
 * may continue. -0 is stored as 0.
 */
export interface EntityStore {
  /** Lists rows in order. Paging with `after` lists each row once, if it exists throughout. */
  list(entity: string, listing: EntityListing): Promise<readonly EntityRecord[]>;

  /** Lists the rows related to several others, sorted by the value of their column and then by id. */
  listRelated(entity: string, listing: RelatedListing): Promise<readonly EntityRecord[]>;

  /** Counts the rows that satisfy a condition. */
  count(entity: string, where: Where): Promise<number>;

  /** Finds a row that satisfies a condition. */
  get(entity: string, id: string, where: Where): Promise<EntityRecord | null>;

  /**
   * Locks those of some rows that satisfy a condition, always in the same order: nobody else changes them until the
   * surrounding transaction ends. Call it before changing several rows, so that no two transactions deadlock.
   */
  lock(entity: string, ids: readonly string[], where: Where): Promise<void>;

  /** Stores a row; missing columns become null. */
  create(entity: string, row: EntityRow): Promise<EntityRecord>;

  /** Changes a row, raises its version, and returns it. If a condition does not hold: null, and nothing is changed. */
  update(entity: string, id: string, change: EntityChange): Promise<EntityRecord | null>;

  /** Deletes a row and those that cascade, and returns it as it was; null if a condition does not hold. */
  delete(entity: string, id: string, condition: EntityCondition): Promise<EntityRecord | null>;

  /** Deletes all rows that satisfy a condition and those that cascade, and returns how many satisfied it. */
  deleteAll(entity: string, where: Where): Promise<number>;
}
