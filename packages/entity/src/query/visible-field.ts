import type { Field } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import { invalidQuery } from './invalid-query.ts';

/** What filters and orders may refer to. */
export interface ComparableFields {
  readonly model: Model;
  /** Fields that, like hidden ones, queries can't refer to: for this caller they do not exist. */
  readonly closed?: ReadonlySet<string>;
}

/** Finds a field by a name from a caller, for whom hidden fields do not exist. */
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
