/**
 * What a column of an entity holds. `integer` are safe integers, `number` are finite, `timestamp` are moments in whole
 * milliseconds, `json` is any JSON value and compares with nothing.
 */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'json';
