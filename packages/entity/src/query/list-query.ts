import type { SortKey, Where, WhereValue } from '@x/store';

/** What a caller asks of a list, as parsed: every name in it is one of the model. */
export interface ListQuery {
  /** The caller's filter. It stands beside the access condition, never in its place. */
  readonly where: Where;
  /** Tells all records apart: it ends with the primary key. */
  readonly order: readonly SortKey[];
  /** The sort key of the last record of the page before; null for the first page. */
  readonly after: readonly (WhereValue | null)[] | null;
  readonly limit: number;
  /** The fields that are wanted; null for all. */
  readonly select: readonly string[] | null;
  readonly include: readonly Inclusion[];
  /** Whether the number of all records is wanted. */
  readonly count: boolean;
  /** The entitlements that each record is to say of whether the caller holds them. */
  readonly access: readonly string[];
}

/** A relation that a caller follows, and those that they follow from there. */
export interface Inclusion {
  readonly relation: string;
  readonly include: readonly Inclusion[];
}
