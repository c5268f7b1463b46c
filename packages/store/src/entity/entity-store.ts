import type { JsonValue } from '../json.ts';
import type { Where, WhereValue } from '../where/where.ts';
import type { SortKey } from './sort-key.ts';

/** What one cell of an entity's row holds. */
export type EntityValue = JsonValue | Date;

/** What some columns of an entity's row hold. */
export type EntityValues = Readonly<Record<string, EntityValue>>;

/** One row of an entity: its id and every declared column. */
export type EntityRow = EntityValues & { readonly id: string };

/** A row as stored. */
export interface EntityRecord {
  readonly row: EntityRow;
  /** How often the row was written: 1 at first. What an `ETag` says. */
  readonly version: number;
}

/** Which rows of an entity are listed, and from where on. */
export interface EntityListing {
  /** The access condition and the caller's filter, joined by whoever asks. */
  readonly where: Where;
  /** Tells all rows apart: it ends with the id. */
  readonly order: readonly SortKey[];
  /** The sort key of the row that the list goes on after; null for its start. That row need not be there any more. */
  readonly after: readonly (WhereValue | null)[] | null;
  /** How many rows at most. */
  readonly limit: number;
}

/** Which rows that belong to some others are listed. */
export interface RelatedListing {
  /** The column that names the others. */
  readonly column: string;
  /** The values of it that are wanted. */
  readonly values: readonly string[];
  readonly where: Where;
  /** How many rows at most for each value: those with the lowest ids. */
  readonly limitEach: number;
}

/** Which row is changed, and on which conditions. */
export interface EntityCondition {
  /** The access condition: a row that it is not true of, at the moment of the change, is not touched. */
  readonly where: Where;
  /** The version that the row still has to have. Absent: any. */
  readonly version?: number;
}

/** A change of one row. */
export interface EntityChange extends EntityCondition {
  /** The columns to be changed, one at least. */
  readonly values: EntityValues;
}

/**
 * Rows of the app's entities, each method one atomic step. Several of them join in one transaction.
 *
 * Entities and columns are named as declared; whatever else is named, or a value that its column can't hold, is a mistake
 * of the caller's and throws `TypeError`. A unique value that another row holds, a reference to a row that is not there,
 * and the deletion of a row that another one names are a `CodedError` `CONFLICT`, which changes nothing; a transaction
 * that catches it may go on. -0 is stored as 0.
 */
export interface EntityStore {
  /** Lists rows in order. Walked by `after`, each row is listed once that is there all the while. */
  list(entity: string, listing: EntityListing): Promise<readonly EntityRecord[]>;

  /** Lists the rows of several others at once, by the value of their column and then by id. */
  listRelated(entity: string, listing: RelatedListing): Promise<readonly EntityRecord[]>;

  /** Counts the rows that a condition is true of. */
  count(entity: string, where: Where): Promise<number>;

  /** Finds a row that a condition is true of. */
  get(entity: string, id: string, where: Where): Promise<EntityRecord | null>;

  /**
   * Takes those of some rows that a condition is true of, in one order whoever asks: nobody else changes them until the
   * transaction around the step is over. Who is about to change several rows takes them first, so that no two
   * transactions wait for each other.
   */
  hold(entity: string, ids: readonly string[], where: Where): Promise<void>;

  /** Stores a row; a column that it leaves out is null. */
  create(entity: string, row: EntityRow): Promise<EntityRecord>;

  /** Changes a row, raises its version, and returns it; null, and nothing changed, where a condition does not hold. */
  update(entity: string, id: string, change: EntityChange): Promise<EntityRecord | null>;

  /** Deletes a row and those that go with it, and returns it as it was; null where a condition does not hold. */
  delete(entity: string, id: string, condition: EntityCondition): Promise<EntityRecord | null>;

  /** Deletes all rows that a condition is true of and those that go with them, and says how many it was true of. */
  deleteAll(entity: string, where: Where): Promise<number>;
}
