import type { Field } from '../field/field.ts';
import type { Model } from '../model/model.ts';
import { invalidQuery } from './invalid-query.ts';

/** What filters and orders may name. */
export interface ComparableFields {
  readonly model: Model;
  /** The fields that nothing may be asked of, beside those that are hidden: to the caller they don't exist then. */
  readonly closed?: ReadonlySet<string>;
}

/** Finds a field by a name that a caller gave. To a caller a hidden field does not exist. */
export function findVisibleField(model: Model, name: string, place: readonly (string | number)[]): Field {
  const field = model.allFields.get(name);
  if (!field || field.options.hidden) throw unknownField(name, place);
  return field;
}

/** Finds a field to filter or sort by. */
export function findComparableField(
  { model, closed }: ComparableFields,
  name: string,
  place: readonly (string | number)[],
): Field {
  const field = findVisibleField(model, name, place);
  if (closed?.has(name)) throw unknownField(name, place);
  if (field.type !== 'json') return field;
  throw invalidQuery([...place, name], 'Nothing can be asked of this field.');
}

function unknownField(name: string, place: readonly (string | number)[]): Error {
  return invalidQuery([...place, name], 'Unknown field.');
}
