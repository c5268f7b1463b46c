import type { EntityRecord } from '@x/store';
import type { VisibleRow } from '../authorization/authorization.ts';
import { openReading } from '../authorization/open-authorization.ts';
import type { RecordAccess } from '../authorization/record-access.ts';
import type { Entity } from '../definition/entity.ts';
import { renewScope, type Scope } from './scope.ts';

/** A record as a caller sees it: its visible fields, and what was requested with it. */
export type ShownRecord = Readonly<Record<string, unknown>>;

/** A record as a caller sees it, with its version. */
export interface Shown {
  readonly record: ShownRecord;
  readonly version: number;
}

/** The requested parts of a record. */
export interface Selection {
  /** The fields; null for all. */
  readonly select?: readonly string[] | null;
  /** Related records, by relation. */
  readonly related?: Readonly<Record<string, unknown>> | undefined;
  /** What the caller may do with it. */
  readonly access?: RecordAccess | undefined;
}

/** Converts a record that was just written to what its writer sees. */
export async function showWritten(scope: Scope, entity: Entity, { row, version }: EntityRecord): Promise<Shown> {
  // A new scope, because the write may have given or taken roles of the caller.
  const visible = await openReading(renewScope(scope), entity, 'get').visible(row);
  return { record: toShownRecord(entity, visible), version };
}

/** Does the same for several records. */
export async function showAllWritten(
  scope: Scope,
  entity: Entity,
  records: readonly EntityRecord[],
): Promise<readonly ShownRecord[]> {
  const rows = records.map(({ row }) => row);
  const visible = await openReading(renewScope(scope), entity, 'get').visibleEach(rows);
  return visible.map((row) => toShownRecord(entity, row));
}

/** Converts a row to what the caller sees: fields are picked by name, so that no other one can slip through. */
export function toShownRecord(
  { visibleFields, fieldRules }: Entity,
  row: VisibleRow,
  { select, related, access }: Selection = {},
): ShownRecord {
  // Lists spend their time here, so nothing is allocated per field.
  const shown: Record<string, unknown> = {};
  const names = select ?? visibleFields;
  const present = fieldRules.read.size === 0 ? names : names.filter((name) => Object.hasOwn(row, name));
  for (const name of present) shown[name] = row[name];
  if (access) shown['__access'] = access;
  return related ? Object.assign(shown, related) : shown;
}
