import { type EntityRow, type EntityValues, storeConflict } from '@x/store';
import { recordNotWritable } from '../authorization/errors.ts';
import { openRead } from '../authorization/open-authorization.ts';
import type { Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { parentOf } from '../model/model.ts';
import type { RecordInput } from '../model/record-input.ts';

/**
 * Makes sure that a caller may read the parent of a record that is new, or about to move. A missing parent and one that
 * they can't see look the same.
 *
 * @throws CodedError `FORBIDDEN`
 */
export async function assertParent(call: Call, { model }: Entity, row: EntityRow): Promise<void> {
  const parent = parentOf(model, row);
  if (parent === null || call.actor.type === 'system') return;
  if (!(await isReadable(call, { model, name: parent.field, id: parent.id }))) throw recordNotWritable();
}

/**
 * Makes sure that a caller may read every record they refer to, except the parent, which is checked separately. One
 * that they can't see is refused like a missing one.
 *
 * @param values - the values that the caller chose
 * @param row - the record with these values
 * @throws CodedError `CONFLICT`
 */
export async function assertReferences(
  call: Call,
  { model }: Entity,
  { values, row }: { readonly values: EntityValues; readonly row: EntityRow },
): Promise<void> {
  if (call.actor.type === 'system') return;
  const parent = parentOf(model, row)?.field;
  for (const name of referencesIn(model, values)) {
    if (name !== parent && !(await isReadable(call, { model, name, id: values[name] }))) throw storeConflict();
  }
}

/** Lists the reference fields among the values. */
export function referencesIn({ fields }: Entity['model'], values: RecordInput['values']): readonly string[] {
  return Object.keys(values).filter((name) => fields[name]?.options.references);
}

interface Reference {
  readonly model: Entity['model'];
  readonly name: string;
  readonly id: unknown;
}

/** Says whether the caller may read the record that a field refers to. A null reference needs no check. */
async function isReadable(call: Call, { model, name, id }: Reference): Promise<boolean> {
  const referred = call.context.entities.get(model.fields[name]?.options.references ?? '');
  if (!referred || typeof id !== 'string') return true;
  const reading = openRead(call, referred, 'get');
  return (await reading.findAuthorized((where) => call.stores.entities.get(referred.name, id, where))) !== null;
}
