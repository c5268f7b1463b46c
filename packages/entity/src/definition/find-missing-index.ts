import { parseIndexPart } from '@x/store';
import type { Predicate } from '@x/access/rule';
import type { Model } from '../model/model.ts';
import type { Entity } from './entity.ts';

/**
 * Finds the index that the default list of an entity needs and its model lacks: without it, the store reads every
 * record to find those that the rule of the list allows.
 *
 * @returns the fields of the index; null if none is missing, and for an existing table, whose indexes are not declared
 */
export function findMissingIndex({ model, rules }: Entity): readonly string[] | null {
  const predicate = rules.get('list')?.predicate;
  if (!predicate || model.existing) return null;
  const fields = findUnservedFields(predicate, toFirstFields(model));
  return fields && [...fields, 'id'];
}

/** Returns the fields with which the indexes of a model begin. Ids, references and unique fields always have one. */
function toFirstFields({ indexes, unique, allFields }: Model): ReadonlySet<string> {
  const always = [...allFields].filter(([, { options }]) => options.references || options.unique).map(([name]) => name);
  return new Set([
    'id',
    ...always,
    ...[...indexes, ...unique].flatMap(([first]) => (first === undefined ? [] : parseIndexPart(first).column)),
  ]);
}

/**
 * Finds the fields that a part of a rule compares, if no index begins with any of them. Alternatives are looked up one
 * by one, so each needs an index; a part that compares no field, such as a role, needs none.
 */
function findUnservedFields(predicate: Predicate, served: ReadonlySet<string>): readonly string[] | null {
  const parts = predicate.type === 'and' ? predicate.operands : [predicate];
  const fields = parts.flatMap((part) => (part.type === 'equals' ? [part.field] : []));
  if (fields.some((field) => served.has(field))) return null;
  if (fields.length > 0) return [...new Set(fields)];
  const alternatives = parts.flatMap((part) => (part.type === 'or' ? part.operands : []));
  for (const alternative of alternatives) {
    const unserved = findUnservedFields(alternative, served);
    if (unserved) return unserved;
  }
  return null;
}
