import type { Cause } from '../events.ts';
import type { JsonValue } from '../values.ts';
import type { Where, WhereValue } from '../where/where.ts';
import type { SortKey } from './sort-key.ts';

/** The value of one column of an entity's row. */
export type EntityValue = JsonValue | Date;

/** The values of some columns of an entity's row. */
export type EntityValues = Readonly<Record<string, EntityValue>>;

/** One row of an entity: its id and every declared column. */
export type EntityRow = EntityValues & { readonly id: string };

/** A new row; the database makes the id of one that has none, if it does so for its table. */
export type NewEntityRow = EntityValues & { readonly id?: string };

/** A row as stored. */
export interface EntityRecord {
  readonly row: EntityRow;
  /**
   * How often the row has been written, starting at 1; sent as its `ETag`. In an existing table without a column for
   * it, a number that is another one when the row is.
   */
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
  readonly bounds?: QueryBounds;
}

/** The bounds of a query, and the user it runs for. */
export interface QueryBounds {
  /**
   * The page ends with the row that makes its texts, together, about this many UTF-16 code units long, so it always has
   * one row. Default: only the number of rows is limited.
   */
  readonly maxCharacters?: number;
  /** Columns whose texts don't count, because callers who see the page must not learn their lengths. Default: none. */
  readonly uncounted?: ReadonlySet<string>;
  /**
   * The user on whose behalf it runs. A fair queue serves the queries of users in rotation. Default: the app itself.
   */
  readonly caller?: string | null;
}

/** Some rows of a list. */
export interface EntityPage {
  readonly records: readonly EntityRecord[];
  /** Whether the list continues after them. */
  readonly hasMore: boolean;
  /** The values that each of them is sorted by; only if the order leads to rows of other entities. */
  readonly keys?: readonly (readonly EntityValue[])[];
}

/** Which related rows to list. */
export interface RelatedListing {
  /** The column that refers to the other rows, or `id`. */
  readonly column: string;
  /** The values of that column to look for. */
  readonly values: readonly string[];
  readonly where: Where;
  /** The maximum number of rows for each value: those with the lowest ids. */
  readonly limitEach: number;
  readonly bounds?: QueryBounds;
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
 * may continue. For a unique value, its `issues` name the columns of a key that is taken. A query that runs for more
 * than two seconds is ended with `QUERY_TOO_EXPENSIVE`. -0 is stored as 0.
 */
export interface EntityStore {
  /** Lists rows in order. Paging with `after` lists each row once, if it exists throughout. */
  list(entity: string, listing: EntityListing): Promise<EntityPage>;

  /**
   * Lists the rows related to several others, in the order of `values` and then by id. The page has more if `bounds`
   * ended it: rows of the last value may be missing then, and those of later values are.
   */
  listRelated(entity: string, listing: RelatedListing): Promise<EntityPage>;

  /** Counts the rows that satisfy a condition. */
  count(entity: string, where: Where, bounds?: Pick<QueryBounds, 'caller'>): Promise<number>;

  /**
   * Groups the rows that satisfy a condition, and computes values of each group.
   *
   * @throws TypeError if a column is not of a type that can be grouped by, or that the function takes
   */
  aggregate(entity: string, aggregation: EntityAggregation): Promise<EntityGroups>;

  /** Finds a row that satisfies a condition. */
  get(entity: string, id: string, where: Where): Promise<EntityRecord | null>;

  /**
   * Locks those of some rows that satisfy a condition, always in the same order: no other transaction changes them
   * until the surrounding one ends. Call it before changing several rows, so that no two transactions deadlock.
   */
  lock(entity: string, ids: readonly string[], where: Where): Promise<void>;

  /**
   * Finds the row with the values of a unique key, if it satisfies a condition, and locks it as {@link lock} does:
   * until the surrounding transaction ends, it keeps them.
   *
   * @param key - a value for each column of one unique key
   */
  lockByKey(entity: string, key: EntityValues, where: Where): Promise<EntityRecord | null>;

  /** Stores a row; missing columns become null. Logs `record.created` if the entity is audited. */
  create(entity: string, row: NewEntityRow, cause?: Cause): Promise<EntityRecord>;

  /**
   * Changes a row, raises its version, and returns it. If a condition does not hold: null, and nothing is changed. Logs
   * `record.updated` with the names of the columns if the entity is audited.
   */
  update(entity: string, id: string, change: EntityChange, cause?: Cause): Promise<EntityRecord | null>;

  /**
   * Changes all rows that satisfy a condition, or none, raises their versions, and returns how many there were. It
   * locks them in the order of {@link lock}. Logs as {@link update} does, up to 1000 rows in one event.
   */
  updateAll(entity: string, change: Pick<EntityChange, 'values' | 'where'>, cause?: Cause): Promise<number>;

  /**
   * Deletes a row and those that cascade, and returns it as it was; null if a condition does not hold. Logs
   * `record.deleted` for all of them whose entities are audited, and `record.updated` for rows that lose a reference.
   */
  delete(entity: string, id: string, condition: EntityCondition, cause?: Cause): Promise<EntityRecord | null>;

  /**
   * Deletes all rows that satisfy a condition and those that cascade, or none, and returns how many satisfied it. Many
   * take several statements, so that only the time of a transaction bounds how many. Logs as {@link delete} does.
   */
  deleteAll(entity: string, where: Where, cause?: Cause): Promise<number>;
}

/**
 * A function of a column over the rows of a group. Rows without a value do not count: of none, `count` is 0, and the
 * others are null.
 */
export type AggregateFunction = 'count' | 'sum' | 'avg' | 'min' | 'max';

/** One value to compute for each group. */
export interface Measure {
  /** `sum` and `avg` are of integers, numbers and decimals, `min` and `max` of anything but JSON. */
  readonly function: AggregateFunction;
  readonly column: string;
}

/** The rows to group, and the measures of each group. */
export interface EntityAggregation {
  readonly where: Where;
  /** The columns whose values the rows of a group share, JSON excepted. With none, all rows are one group. */
  readonly groupBy: readonly string[];
  readonly measures: readonly Measure[];
  /** The maximum number of groups. */
  readonly limit: number;
  readonly bounds?: Pick<QueryBounds, 'maxCharacters' | 'caller'>;
}

/** One group of rows. */
export interface EntityGroup {
  /** The values that they share, in the order of `groupBy`. */
  readonly key: readonly EntityValue[];
  /**
   * The results, in the order of `measures`. Sums are computed exactly, each number as it is written in decimal, so
   * that no order matters and all engines agree: of decimals a text with the digits of the column, of integers a
   * number, and a text if it is no safe integer, of numbers the nearest double, and a text of whole digits if none is
   * that large. The average of decimals is a text with four digits more than the column, rounded half away from zero;
   * any other is a double. False is less than true.
   */
  readonly values: readonly EntityValue[];
}

/** The groups of an aggregation. */
export interface EntityGroups {
  /** In the order of their keys, nulls last. */
  readonly groups: readonly EntityGroup[];
  /** Whether there are more groups than were asked for, or their texts are longer; any may be missing. */
  readonly hasMore: boolean;
}
