import type { EntityRecord, EntityRow, EntityValue, EntityValues, JsonValue } from '@x/store';
import { copyDate } from './copy-date.ts';
import { copyJson } from './copy-json.ts';

/** Copies values as a database would; their JSON is frozen. */
export function copyEntityValues<Values extends EntityValues>(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, copyValue(value)])) as Values;
}

/** Copies a record for a caller. JSON that is stored is frozen, so it is shared. */
export function copyRecord({ row, version }: EntityRecord): EntityRecord {
  const cells = Object.entries(row).map(([name, value]) => [name, value instanceof Date ? copyDate(value) : value]);
  return { row: Object.fromEntries(cells) as EntityRow, version };
}

function copyValue(value: EntityValue): EntityValue {
  if (value instanceof Date) return copyDate(value);
  return typeof value === 'object' && value !== null ? copyJson<JsonValue>(value) : value;
}
