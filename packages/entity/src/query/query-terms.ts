import { CodedError } from '@x/errors';
import { isStorableText } from '@x/store';
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
  if (relation && 'through' in relation && !findRelated(relation.through)) return undefined;
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
  /** The steps to a value in the field, which is JSON; undefined if it is about the field itself. */
  readonly path?: readonly string[];
  /** How a record leads to the one that has the field; undefined for a field of its own. */
  readonly through?: { readonly column: string; readonly entity: string };
}

/**
 * Finds a field, one of the record that a relation leads to: `project.name`, or a value in one that is JSON:
 * `labels.0`.
 */
export function findFieldByPath(
  fields: ComparableFields,
  path: string,
  place: readonly (string | number)[],
): FoundField {
  const [first, rest] = splitAtDot(path);
  const found = rest === undefined ? undefined : findRelation(fields, first);
  if (!found || rest === undefined) return findOwnField(fields, { name: path, place });
  const { reference, entity } = found;
  if (reference === undefined) throw unknownField(path, place);
  findComparableField(fields, { name: reference, place, written: path });
  const field = findOwnField(found.fields, { name: rest, place, written: path });
  return { ...field, through: { column: reference, entity } };
}

/** Finds a field of the record itself, or a value in one that is JSON. */
function findOwnField(fields: ComparableFields, named: NamedField): FoundField {
  const [column, path] = splitAtDot(named.name);
  if (path === undefined) return { column, field: findComparableField(fields, named) };
  const { place, written = named.name } = named;
  const field = findReadableField(fields, { name: column, place, written });
  if (field.type !== 'json') throw unknownField(written, place);
  const steps = path.split('.', maxSteps + 1);
  if (steps.length <= maxSteps && steps.every(isStep)) return { column, field, path: steps };
  throw invalidQuery(
    [...place, written],
    `A path in JSON has at most ${maxSteps} steps of 1 to ${maxStepLength} characters.`,
  );
}

const maxSteps = 8;
const maxStepLength = 100;

function isStep(step: string): boolean {
  return step.length >= 1 && step.length <= maxStepLength && isStorableText(step);
}

function splitAtDot(path: string): readonly [first: string, rest?: string] {
  const dot = path.indexOf('.');
  return dot < 0 ? [path] : [path.slice(0, dot), path.slice(dot + 1)];
}

/** Builds the error for a name that is none of a field that the caller may refer to. */
function unknownField(name: string, place: readonly (string | number)[]): Error {
  return invalidQuery([...place, name], 'Unknown field.');
}

/**
 * Refuses the first of the members that a query has besides those that it may have; one that is undefined counts as
 * left out.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function refuseOthers(others: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(others).find((name) => others[name] !== undefined);
  if (unknown !== undefined) throw invalidQuery([unknown], 'Unknown parameter.');
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
