/**
 * The place where a table keeps one row. A row is replaced within its slot, so that indexes in which its position stays
 * the same need not be updated.
 */
export interface Slot<Row extends object> {
  row: Row;
}
