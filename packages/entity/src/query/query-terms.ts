import { CodedError } from '@x/errors';
import type { Field } from '../model/field.ts';
import type { Model } from '../model/model.ts';

/** The fields that filters and orders may refer to. */
export interface ComparableFields {
  readonly model: Model;
  /** Fields that, like hidden ones, queries can't refer to: for this caller they do not exist. */
  readonly unqueryable?: ReadonlySet<string>;
  /** Finds what queries may refer to of another entity; undefined if callers can't read it. */
  readonly findRelated: FindRelated;
}

/** Finds what queries may refer to of an entity that a relation leads to. */
export type FindRelated = (entity: string) => ComparableFields | undefined;

/** A relation, and the fields that queries may refer to where it leads. */
interface FoundRelation {
  /** The field that refers to the other record; undefined for a relation to many. */
  readonly reference: string | undefined;
  readonly entity: string;
  readonly fields: ComparableFields;
}

/** Finds a relation of a model by a name from a caller; undefined if it leads nowhere that they can read. */
export function findRelation({ model, findRelated }: ComparableFields, name: string): FoundRelation | undefined {
  const relation = Object.hasOwn(model.relations, name) ? model.relations[name] : undefined;
  const reference = relation?.type === 'one' ? relation.field : undefined;
  const entity = relation?.type === 'one' ? model.fields[relation.field]?.options.references : relation?.entity;
  const fields = entity === undefined ? undefined : findRelated(entity);
  return entity === undefined || !fields ? undefined : { reference, entity, fields };
}

/** A field that a query names. */
interface NamedField {
  readonly name: string;
  /** Where the query names it. */
  readonly place: readonly (string | number)[];
  /** The name that the caller wrote, if it leads to the field by a relation. Default: `name`. */
  readonly written?: string;
}

/** Finds a field by a name from a caller, for whom hidden fields do not exist. */
export function findVisibleField(model: Model, { name, place, written = name }: NamedField): Field {
  const field = model.allFields.get(name);
  if (!field || field.options.hidden) throw unknownField(written, place);
  return field;
}

/** Finds a field that the caller may read on every record. */
export function findReadableField({ model, unqueryable }: ComparableFields, named: NamedField): Field {
  const { name, place, written = name } = named;
  const field = findVisibleField(model, named);
  if (unqueryable?.has(name)) throw unknownField(written, place);
  return field;
}

/** Finds a field to filter or sort by. */
export function findComparableField(fields: ComparableFields, named: NamedField): Field {
  const { name, place, written = name } = named;
  const field = findReadableField(fields, named);
  if (field.type !== 'json') return field;
  throw invalidQuery([...place, written], 'This field cannot be queried.');
}

/** A field that a filter or an order refers to. */
interface FoundField {
  readonly column: string;
  readonly field: Field;
  /** How a record leads to the one that has the field; undefined for a field of its own. */
  readonly through?: { readonly column: string; readonly entity: string };
}

/** Finds a field, or one of the record that a relation leads to: `project.name`. */
export function findFieldByPath(
  fields: ComparableFields,
  path: string,
  place: readonly (string | number)[],
): FoundField {
  const dot = path.indexOf('.');
  if (dot < 0) return { column: path, field: findComparableField(fields, { name: path, place }) };
  const found = findRelation(fields, path.slice(0, dot));
  const { reference, entity } = found ?? {};
  if (!found || reference === undefined || entity === undefined) throw unknownField(path, place);
  findComparableField(fields, { name: reference, place, written: path });
  const column = path.slice(dot + 1);
  const field = findComparableField(found.fields, { name: column, place, written: path });
  return { column, field, through: { column: reference, entity } };
}

/** Builds the error for a name that is none of a field that the caller may refer to. */
function unknownField(name: string, place: readonly (string | number)[]): Error {
  return invalidQuery([...place, name], 'Unknown field.');
}

/** How much of a name from a caller is echoed back. */
const maxEcho = 64;

/** Builds the error for an invalid query; `place` leads to the problem, from the outside in. */
export function invalidQuery(place: readonly (string | number)[], message: string): CodedError {
  const path = place.map((step) => (typeof step === 'string' ? step.slice(0, maxEcho) : step));
  return new CodedError('INVALID_QUERY', 'The query is not valid.', {
    issues: [{ path, code: 'invalid_query', message }],
  });
}
