import type { EntityRow } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { askGrantsOnEach } from './ask-on-each.ts';
import { askGrants, type Granted, holdsWith, nothingGranted, type RowSubject } from './judge.ts';
import type { Scope } from './scope.ts';

declare const visible: unique symbol;

/** A row without the fields that rules keep from the caller. Of no other row a record is made that callers see. */
export type VisibleRow = EntityRow & { readonly [visible]: true };

/**
 * Takes out of each row the fields that their rules don't show the caller. What the rules ask of the access definition is
 * asked for all rows at once.
 */
export function toVisibleRows(
  scope: Scope,
  entity: Entity,
  rows: readonly EntityRow[],
): readonly VisibleRow[] | Promise<readonly VisibleRow[]> {
  return isOpen(scope, entity) ? (rows as readonly VisibleRow[]) : hideInEach(scope, entity, rows);
}

async function hideInEach(scope: Scope, entity: Entity, rows: readonly EntityRow[]): Promise<readonly VisibleRow[]> {
  const subjects = rows.map((row) => ({ entity, row }));
  const granted = await askGrantsOnEach(scope, entity.fieldRules.readGrants, subjects);
  return subjects.map((subject, at) => hideFields(scope, subject, granted[at] ?? nothingGranted));
}

/**
 * Takes out of one row the fields that their rules don't show the caller.
 *
 * @param isNew - whether the row is not there yet
 */
export function toVisibleRow(
  scope: Scope,
  entity: Entity,
  row: EntityRow,
  isNew = false,
): VisibleRow | Promise<VisibleRow> {
  return isOpen(scope, entity) ? (row as VisibleRow) : hideInOne(scope, { entity, row, isNew });
}

async function hideInOne(scope: Scope, subject: RowSubject): Promise<VisibleRow> {
  const { entity } = subject;
  return hideFields(scope, subject, await askGrants(scope, entity.fieldRules.readGrants, subject));
}

function isOpen({ actor }: Scope, { fieldRules }: Entity): boolean {
  return fieldRules.read.size === 0 || actor.type === 'system';
}

function hideFields(scope: Scope, subject: RowSubject, granted: Granted): VisibleRow {
  const { entity, row } = subject;
  const hidden = new Set<string>();
  for (const [name, rule] of entity.fieldRules.read) {
    if (!holdsWith(scope, rule, { subject, granted })) hidden.add(name);
  }
  const shown = Object.entries(row).filter(([name]) => !hidden.has(name));
  return (hidden.size === 0 ? row : Object.fromEntries(shown)) as VisibleRow;
}
