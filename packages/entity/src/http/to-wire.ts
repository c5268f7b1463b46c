import type { ShownRecord } from '../pipeline/shown-record.ts';
import { toIsoText } from './to-iso-text.ts';

/**
 * Converts a record to what its JSON is written of: its moments, and those of records that go with it, are texts. Left to
 * `JSON.stringify` they would read the same, but it calls each of them, and takes several times as long for all that stands
 * around them.
 */
export function toWire(record: ShownRecord): ShownRecord {
  const wire: Record<string, unknown> = { ...record };
  for (const name in wire) {
    const value = wire[name];
    // What the caller may do, which is much, holds no moments.
    if (typeof value === 'object' && value !== null && name !== '__access') wire[name] = toWireValue(value);
  }
  return wire;
}

function toWireValue(value: object): unknown {
  if (value instanceof Date) return toIsoText(value);
  if (!Array.isArray(value)) return toWire(value as ShownRecord);
  return value.map((each: unknown) => (typeof each === 'object' && each !== null ? toWireValue(each) : each));
}
