import { isObject } from '@x/errors';
import type { AggregateFunction, Measure } from '@x/store';
import type { Where } from '@x/store/where';
import type { FieldType } from '../model/field.ts';
import { parseWhere } from './parse-where.ts';
import {
  type ComparableFields,
  findComparableField,
  findReadableField,
  invalidQuery,
  refuseOthers,
} from './query-terms.ts';

/** A parsed aggregate query: every name in it is defined by the model. */
export interface ParsedAggregateQuery {
  readonly where: Where;
  readonly groupBy: readonly string[];
  readonly measures: readonly NamedMeasure[];
}

/** A value of each group, under the name that the caller chose. */
interface NamedMeasure extends Measure {
  readonly name: string;
}

/** The most groups that a query may have. */
export const maxGroups = 1000;

const maxKeys = 3;
const maxMeasures = 10;

/**
 * Parses `{ where, groupBy: ['projectId'], measures: { total: { sum: 'estimate' } } }`. Fields are those that the caller
 * may read on every record.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function parseAggregateQuery(fields: ComparableFields, query: unknown): ParsedAggregateQuery {
  const { where, groupBy, measures, ...others } = toObject(query, []);
  refuseOthers(others);
  return {
    where: parseWhere(fields, where),
    groupBy: groupBy === undefined ? [] : parseKeys(fields, groupBy),
    measures: parseMeasures(fields, measures),
  };
}

/** A list is either an array of names, or one text with commas. */
function parseKeys(fields: ComparableFields, given: unknown): readonly string[] {
  const names: unknown = typeof given === 'string' ? given.split(',', maxKeys + 1) : given;
  const place = ['groupBy'];
  if (!Array.isArray(names)) throw invalidQuery(place, 'A list of fields is expected.');
  if (names.length > maxKeys) throw invalidQuery(place, `Records are grouped by at most ${maxKeys} fields.`);
  const keys = names.map((name: unknown) => {
    if (typeof name !== 'string') throw invalidQuery(place, 'A field is expected.');
    findComparableField(fields, { name, place });
    return name;
  });
  if (new Set(keys).size < keys.length) throw invalidQuery(place, 'A field is named twice.');
  return keys;
}

function parseMeasures(fields: ComparableFields, given: unknown): readonly NamedMeasure[] {
  const entries = Object.entries(toObject(given, ['measures']));
  if (entries.length >= 1 && entries.length <= maxMeasures) {
    return entries.map(([name, measure]) => parseMeasure(fields, name, measure));
  }
  throw invalidQuery(['measures'], `From 1 to ${maxMeasures} measures are expected.`);
}

/** It stands beside `key` in the groups. */
const namePattern = /^(?!key$)[A-Za-z][A-Za-z0-9_]{0,39}$/;

function parseMeasure(fields: ComparableFields, name: string, given: unknown): NamedMeasure {
  const place = ['measures', name];
  if (!namePattern.test(name)) throw invalidQuery(place, `A name matches ${namePattern.source}.`);
  const [only, ...more] = Object.entries(toObject(given, place));
  if (!only || more.length > 0) throw invalidQuery(place, 'One function with one field is expected.');
  const [called, column] = only;
  const accepts = types.get(called);
  const at = [...place, called];
  if (!accepts) throw invalidQuery(at, 'Unknown function.');
  // Every record has an id.
  if (called === 'count' && column === true) return { name, function: called, column: 'id' };
  if (typeof column !== 'string') throw invalidQuery(at, 'A field is expected.');
  const { type } = findReadableField(fields, { name: column, place: at });
  if (!accepts.has(type)) throw invalidQuery(at, 'The function does not take fields of this type.');
  return { name, function: called as AggregateFunction, column };
}

const summable: readonly FieldType[] = ['integer', 'number', 'decimal'];
const ordered: readonly FieldType[] = [...summable, 'uuid', 'text', 'enum', 'boolean', 'timestamp', 'date'];

/** The types of fields that each function takes. */
export const aggregateTypes: Readonly<Record<AggregateFunction, ReadonlySet<FieldType>>> = {
  count: new Set([...ordered, 'json']),
  sum: new Set(summable),
  avg: new Set(summable),
  min: new Set(ordered),
  max: new Set(ordered),
};

const types: ReadonlyMap<string, ReadonlySet<FieldType>> = new Map(Object.entries(aggregateTypes));

function toObject(value: unknown, place: readonly string[]): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw invalidQuery(place, 'An object is expected.');
}
