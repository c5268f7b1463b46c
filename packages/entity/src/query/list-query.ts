import type { SortKey } from '@x/store';
import type { Where, WhereValue } from '@x/store/where';

/** A parsed list query: every name in it is defined by the model. */
export interface ListQuery {
  /** The caller's filter. It is added to the access condition, never replaces it. */
  readonly where: Where;
  /** A total order: it ends with the primary key. */
  readonly order: readonly SortKey[];
  /** The sort key of the last record of the previous page; null for the first page. */
  readonly after: readonly (WhereValue | null)[] | null;
  readonly limit: number;
  /** The requested fields; null for all. */
  readonly select: readonly string[] | null;
  readonly include: readonly Inclusion[];
  /** Whether the total number of records is requested. */
  readonly count: boolean;
  /** The entitlements to check on each record. */
  readonly access: readonly string[];
}

/** A relation to follow, and those to follow from there. */
export interface Inclusion {
  readonly relation: string;
  readonly include: readonly Inclusion[];
}
