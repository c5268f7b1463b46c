/** One column that a list is ordered by. Nulls come last ascending and first descending. */
export interface SortKey {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
}
