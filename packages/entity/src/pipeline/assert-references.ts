import { storeConflict } from '@x/store';
import type { EntityRow } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { isReadable } from './look-up.ts';
import { outOfReach } from './refusals.ts';
import type { Scope } from './scope.ts';

/**
 * Makes sure that a caller may read the parent of a new record. One that is not there and one that they can't see are the
 * same to them.
 *
 * @throws CodedError `FORBIDDEN`
 */
export async function assertParent(scope: Scope, { model }: Entity, row: EntityRow): Promise<void> {
  const { parent } = model;
  if (parent === null || scope.actor.type === 'system') return;
  if (!(await isReadableBy(scope, { model, name: parent, id: row[parent] }))) throw outOfReach();
}

/**
 * Makes sure that a caller may read whatever else they let a record refer to, and says of the rest what is said of what
 * is not there.
 *
 * @param values - what the caller chose
 * @throws CodedError `CONFLICT`
 */
export async function assertReferences(
  scope: Scope,
  { model }: Entity,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (scope.actor.type === 'system') return;
  for (const name of referencesIn(model, values)) {
    if (!(await isReadableBy(scope, { model, name, id: values[name] }))) throw storeConflict();
  }
}

/** Lists the fields of values that refer to a record; the parent is looked at by itself. */
export function referencesIn(model: Entity['model'], values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(values).filter((name) => name !== model.parent && model.fields[name]?.options.references);
}

interface Reference {
  readonly model: Entity['model'];
  readonly name: string;
  readonly id: unknown;
}

/** What refers to nothing is nobody's business. */
async function isReadableBy(scope: Scope, { model, name, id }: Reference): Promise<boolean> {
  const referred = scope.context.entities.get(model.fields[name]?.options.references ?? '');
  return !referred || typeof id !== 'string' || isReadable(scope, referred, id);
}
