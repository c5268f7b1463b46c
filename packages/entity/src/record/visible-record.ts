import { CodedError } from '@x/errors';
import type { EntityRecord } from '@x/store';
import type { VisibleRow } from '../authorization/authorization.ts';
import { findReadable, openRead } from '../authorization/open-authorization.ts';
import { findRecordAccess, type RecordAccess } from '../authorization/record-access.ts';
import { renewCall, type Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';

/** A record as a caller sees it: its visible fields, and the requested related data. */
export type VisibleRecord = Readonly<Record<string, unknown>>;

/** A record as a caller sees it, with its version. */
export interface Shown {
  readonly record: VisibleRecord;
  readonly version: number;
}

/** The requested parts of a record. */
export interface Selection {
  /** The fields; null for all. */
  readonly select?: readonly string[] | null;
  /** Related records, by relation. */
  readonly related?: Readonly<Record<string, unknown>> | undefined;
  /** The caller's entitlements on it. */
  readonly access?: RecordAccess | undefined;
}

/** A record that was just written. */
export interface WrittenRecord extends EntityRecord {
  /** Whether it has another parent now, so that the caller may not read it any more. */
  readonly hasMoved?: boolean;
}

/**
 * Converts a record that was just written to what its writer would get; to its id alone if they may not read it.
 *
 * @param entitlements - the ones to check on it. Default: no `__access`
 */
export async function showWritten(
  call: Call,
  entity: Entity,
  record: WrittenRecord,
  written: 'created' | 'changed',
  entitlements: readonly string[] = [],
): Promise<Shown> {
  const { row, version } = record;
  const [shown = { id: row.id }] = await showAllWritten(call, entity, [record], written, entitlements);
  return { record: shown, version };
}

/**
 * Does the same for several records. A committed write succeeds even if it can't be found out what the caller may read:
 * an error would make them repeat it.
 */
export async function showAllWritten(
  call: Call,
  entity: Entity,
  records: readonly WrittenRecord[],
  written: 'created' | 'changed',
  entitlements: readonly string[] = [],
): Promise<readonly VisibleRecord[]> {
  const rows = records.map(({ row }) => row);
  const haveMoved = records.some(({ hasMoved }) => hasMoved);
  // A new call, because the write may have given or taken roles of the caller.
  const inside = renewCall(call);
  try {
    const isReadable = await findReadable(inside, entity, { rows, written: haveMoved ? 'created' : written });
    const visible = await openRead(inside, entity, 'get').visible(rows);
    const access = entitlements.length > 0 ? await findRecordAccess(inside, { entity, rows, entitlements }) : undefined;
    return visible.map((row, at) =>
      isReadable[at] ? toVisibleRecord(entity, row, { access: access?.[at] }) : { id: row.id },
    );
  } catch (err) {
    const isUnavailable = err instanceof CodedError && err.code === 'SERVICE_UNAVAILABLE';
    if (call.afterCommit || !isUnavailable) throw err;
    call.context.logger.error({ err }, 'it could not be found out whether a record may be shown after its write');
    return rows.map(({ id }) => ({ id }));
  }
}

/** Converts a row to what the caller sees: fields are picked by name, so that no other one can slip through. */
export function toVisibleRecord(
  { visibleFields, fieldRules }: Entity,
  row: VisibleRow,
  { select, related, access }: Selection = {},
): VisibleRecord {
  // Lists spend their time here, so nothing is allocated per field.
  const shown: Record<string, unknown> = {};
  const names = select ?? visibleFields;
  const present = fieldRules.read.size === 0 ? names : names.filter((name) => Object.hasOwn(row, name));
  for (const name of present) shown[name] = row[name];
  if (access) shown['__access'] = access;
  return related ? Object.assign(shown, related) : shown;
}
