import { isStorableText } from '@x/store';
import type { AnyOptions, Field } from './field.ts';
import { toValueSchema } from './value-schema.ts';
import type { Model } from './model.ts';
import type { Relation } from './relation.ts';

/** The names of entities. Both patterns keep the identifiers built from names within Postgres' limit of 63 bytes. */
const entityPattern = /^[a-z][a-z0-9-]{0,39}$/;

/** The names of fields and relations. */
const memberPattern = /^[a-z][A-Za-z0-9]{0,39}$/;

/** The fields of every record, and names with a special meaning for JavaScript objects. */
const reservedNames: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt', 'then', 'prototype']);

/** Lists the problems of a single model, one sentence each. */
export function findModelProblems(model: Model): readonly string[] {
  const { name, fields, relations, indexes, parent } = model;
  return [
    ...(entityPattern.test(name) ? [] : [`${name}: the name of an entity must match ${entityPattern}`]),
    ...Object.entries(fields).flatMap(([member, field]) =>
      withPlace(`${name}.${member}`, fieldProblems(member, field)),
    ),
    ...Object.entries(relations).flatMap(([member, relation]) =>
      withPlace(`${name}.${member}`, relationProblems(model, member, relation)),
    ),
    ...indexes.flatMap((index) => withPlace(`${name}, index [${index.join(', ')}]`, indexProblems(model, index))),
    ...withPlace(name, parentProblems(model, parent)),
  ];
}

function withPlace(place: string, problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `${place}: ${problem}`);
}

function nameProblems(name: string): readonly string[] {
  if (!memberPattern.test(name)) return [`the name must match ${memberPattern}`];
  return reservedNames.has(name) || name in Object.prototype ? ['the name is reserved'] : [];
}

function fieldProblems(name: string, field: Field): readonly string[] {
  const { options } = field;
  const made = ['default', 'generated', 'serverValue'].filter((key) => options[key as keyof AnyOptions] !== undefined);
  return [
    ...nameProblems(name),
    ...enumProblems(field),
    ...(made.length > 1 ? [`has ${made.join(' and ')}; only one of them can set the value`] : []),
    ...(isUnreachable(options, made) ? ['nobody can set it: give it a default, or let it be null'] : []),
    ...(hasFittingDefault(field) ? [] : ['the default is not a valid value of the field']),
    ...(options.unique && field.type === 'json' ? ['JSON cannot be unique'] : []),
    ...(options.onDelete && !options.references ? ['onDelete needs references'] : []),
    ...(options.references && field.type !== 'uuid' ? ['a reference is a uuid'] : []),
  ];
}

function enumProblems({ type, values = [] }: Field): readonly string[] {
  if (type !== 'enum') return [];
  if (values.length === 0) return ['has no values'];
  if (new Set(values).size < values.length) return ['has a value twice'];
  return values.every((value) => value !== '' && value.length <= 100 && isStorableText(value))
    ? []
    : ['a value is empty, longer than 100 characters or no text that can be stored'];
}

/** Callers can't write the field, and nothing else sets it. */
function isUnreachable({ hidden, readOnly, nullable }: AnyOptions, made: readonly string[]): boolean {
  return Boolean(hidden || readOnly) && !nullable && made.length === 0;
}

function hasFittingDefault(field: Field): boolean {
  const { default: value } = field.options;
  if (value === undefined || (field.type === 'timestamp' && value === 'now')) return true;
  return toValueSchema(field).safeParse(value).success;
}

function relationProblems({ fields }: Model, name: string, relation: Relation): readonly string[] {
  return [
    ...nameProblems(name),
    ...(Object.hasOwn(fields, name) ? ['a field has this name'] : []),
    ...(relation.type === 'many' || isReference(fields[relation.field])
      ? []
      : [`${relation.field} is not a reference`]),
  ];
}

function indexProblems({ allFields }: Model, index: readonly string[]): readonly string[] {
  const unknown = index.filter((name) => !allFields.has(name));
  const json = index.filter((name) => allFields.get(name)?.type === 'json');
  return [
    ...(index.length === 0 ? ['has no fields'] : []),
    ...(new Set(index).size < index.length ? ['has a field twice'] : []),
    ...unknown.map((name) => `${name} is not a field`),
    ...json.map((name) => `${name} is JSON, which has no order`),
  ];
}

function parentProblems({ fields }: Model, parent: string | null): readonly string[] {
  return parent === null || isReference(fields[parent]) ? [] : [`the parent ${parent} is not a reference`];
}

function isReference(field: Field | undefined): boolean {
  return field?.options.references !== undefined;
}
