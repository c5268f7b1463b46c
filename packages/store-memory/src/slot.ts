/**
 * Where a table keeps one row. A row is replaced in its slot, so that an index in which it keeps its place need not
 * be touched.
 */
export interface Slot<Row extends object> {
  row: Row;
}
