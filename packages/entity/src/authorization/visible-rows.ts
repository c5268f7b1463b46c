import type { EntityRow } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { type Grant, toGrantKey } from './operation-rule.ts';
import { askGrantsOnEach } from './ask-on-each.ts';
import { type FieldRule, findDoubtful } from './doubtful-fields.ts';
import { askGrants, type Granted, holdsWith, nothingGranted, type RowSubject } from './judge.ts';
import type { Scope } from '../operation/scope.ts';

declare const visible: unique symbol;

/** A row without the fields that their rules hide from the caller. Records for callers are only made from such rows. */
export type VisibleRow = EntityRow & { readonly [visible]: true };

/** Removes from each row the fields that their rules hide from the caller. Grants are checked for all rows at once. */
export function toVisibleRows(
  scope: Scope,
  entity: Entity,
  rows: readonly EntityRow[],
): readonly VisibleRow[] | Promise<readonly VisibleRow[]> {
  const doubtful = findDoubtful(scope, entity.fieldRules.read);
  if (doubtful.length === 0) return rows as readonly VisibleRow[];
  const subjects = rows.map((row) => ({ entity, row }));
  return hideInEach(scope, doubtful, subjects);
}

async function hideInEach(
  scope: Scope,
  rules: readonly FieldRule[],
  subjects: readonly RowSubject[],
): Promise<readonly VisibleRow[]> {
  const granted = await askGrantsOnEach(scope, toGrants(rules), subjects);
  return subjects.map((subject, at) => hideFields(scope, rules, { subject, granted: granted[at] ?? nothingGranted }));
}

/**
 * Removes from one row the fields that their rules hide from the caller.
 *
 * @param isNew - whether the row does not exist yet
 */
export function toVisibleRow(
  scope: Scope,
  entity: Entity,
  row: EntityRow,
  isNew = false,
): VisibleRow | Promise<VisibleRow> {
  const doubtful = findDoubtful(scope, entity.fieldRules.read);
  return doubtful.length === 0 ? (row as VisibleRow) : hideInOne(scope, doubtful, { entity, row, isNew });
}

async function hideInOne(scope: Scope, rules: readonly FieldRule[], subject: RowSubject): Promise<VisibleRow> {
  return hideFields(scope, rules, { subject, granted: await askGrants(scope, toGrants(rules), subject) });
}

function toGrants(rules: readonly FieldRule[]): readonly Grant[] {
  const grants = rules.flatMap(([, rule]) => rule.grants);
  return [...new Map(grants.map((grant) => [toGrantKey(grant), grant])).values()];
}

function hideFields(
  scope: Scope,
  rules: readonly FieldRule[],
  facts: { readonly subject: RowSubject; readonly granted: Granted },
): VisibleRow {
  const { row } = facts.subject;
  const hidden = new Set<string>();
  for (const [name, rule] of rules) if (!holdsWith(scope, rule, facts)) hidden.add(name);
  const shown = Object.entries(row).filter(([name]) => !hidden.has(name));
  return (hidden.size === 0 ? row : Object.fromEntries(shown)) as VisibleRow;
}
