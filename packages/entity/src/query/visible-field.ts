import type { Field } from '../field/field.ts';
import type { Model } from '../model/model.ts';
import { invalidQuery } from './invalid-query.ts';

/** Finds a field by a name that a caller gave. To a caller a hidden field does not exist. */
export function findVisibleField(model: Model, name: string, place: readonly (string | number)[]): Field {
  const field = model.allFields.get(name);
  if (field && !field.options.hidden) return field;
  throw invalidQuery([...place, name], 'This field is not known.');
}

/** Finds a field to filter or sort by. */
export function findComparableField(model: Model, name: string, place: readonly (string | number)[]): Field {
  const field = findVisibleField(model, name, place);
  if (field.type !== 'json') return field;
  throw invalidQuery([...place, name], 'Nothing can be asked of this field.');
}
