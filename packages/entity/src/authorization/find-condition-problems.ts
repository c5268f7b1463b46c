import { foldPredicate, type Predicate, type PredicateLeaf } from '@x/access';
import type { Field, FieldType } from '../model/field.ts';
import type { Model } from '../model/model.ts';

/** Lists the conditions of a rule that compare a field with a value that it can never have. */
export function findConditionProblems(predicate: Predicate, { allFields }: Model, place: string): readonly string[] {
  return foldPredicate<readonly string[]>(
    predicate,
    (leaf) => (leaf.type === 'equals' ? findProblems(leaf, allFields.get(leaf.field), place) : []),
    (_, problems) => problems.flat(),
  );
}

type Condition = Extract<PredicateLeaf, { readonly type: 'equals' }>;

function findProblems({ field: name, value }: Condition, field: Field | undefined, place: string): readonly string[] {
  if (!field || value === null) return [];
  const given = typeof value === 'object' ? 'string' : typeof value;
  return comparable[field.type] === given ? [] : [`${place}: \`${name}\` never equals a ${given}.`];
}

/** The types that conditions compare with; timestamps are compared as milliseconds. */
const comparable: Readonly<Record<FieldType, string | null>> = {
  uuid: 'string',
  text: 'string',
  enum: 'string',
  integer: 'number',
  number: 'number',
  timestamp: 'number',
  boolean: 'boolean',
  json: null,
};
