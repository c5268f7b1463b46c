import type { EntityRecord, EntityRow } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import type { RecordAccess } from './record-access.ts';

/** A record as a caller sees it: its visible fields, and what goes with it. */
export type ShownRecord = Readonly<Record<string, unknown>>;

/** A record as a caller sees it, with its version. */
export interface Shown {
  readonly record: ShownRecord;
  readonly version: number;
}

/** What of a record is wanted. */
export interface Selection {
  /** The fields; null for all. */
  readonly select?: readonly string[] | null;
  /** Records that go with it, by relation. */
  readonly related?: Readonly<Record<string, unknown>> | undefined;
  /** What the caller may do with it. */
  readonly access?: RecordAccess | undefined;
}

/** Converts a stored record to what callers see of it. */
export function toShown(entity: Entity, { row, version }: EntityRecord, selection: Selection = {}): Shown {
  return { record: toShownRecord(entity, row, selection), version };
}

/** Converts a stored row to what callers see of it: fields are picked by name, so that no other can slip through. */
export function toShownRecord(
  { visibleFields }: Entity,
  row: EntityRow,
  { select, related, access }: Selection = {},
): ShownRecord {
  // Lists spend their time here: nothing is made per field.
  const shown: Record<string, unknown> = {};
  for (const name of select ?? visibleFields) shown[name] = row[name];
  if (access) shown['__access'] = access;
  return related ? Object.assign(shown, related) : shown;
}
