import { isObject } from '@x/errors';
import type { SortKey } from '@x/store';
import { none, type Where, type WhereValue } from '@x/store/where';
import type { Model } from '../model/model.ts';
import { parseListCursor, toOrderPath } from './list-cursor.ts';
import { parseWhere, takesList } from './parse-where.ts';
import {
  type ComparableFields,
  findFieldByPath,
  findRelation,
  findVisibleField,
  invalidQuery,
  refuseOthers,
} from './query-terms.ts';

/** A parsed list query: every name in it is defined by the model. */
export interface ParsedListQuery {
  /** The caller's filter. It is added to the access condition, never replaces it. */
  readonly where: Where;
  /** A total order: it ends with the primary key. */
  readonly order: readonly SortKey[];
  /** The sort key of the last record of the previous page; null for the first page. */
  readonly after: readonly (WhereValue | null)[] | null;
  readonly limit: number;
  /** The requested fields; null for all. */
  readonly select: readonly string[] | null;
  readonly include: readonly Inclusion[];
  /** Whether the total number of records is requested. */
  readonly count: boolean;
  /** The entitlements to check on each record. */
  readonly entitlements: readonly string[];
}

/** The parts of a query that apply to a single record, too. */
type GetQuery = Pick<ParsedListQuery, 'select' | 'include' | 'entitlements'>;

/** A relation to follow, and those to follow from there. */
export interface Inclusion {
  readonly relation: string;
  readonly include: readonly Inclusion[];
}

/** The names and limits that a query has to keep to. */
export interface QueryTerms extends ComparableFields {
  /** The most records that a page may have; 100 by default. */
  readonly maxLimit?: number;
  /** The entitlements that a query may name. */
  readonly entitlements?: ReadonlySet<string>;
}

const defaultLimit = 20;
const defaultMaxLimit = 100;

/**
 * Parses a query in its JSON form. Names are looked up only in the model, values are coerced to the field's type, and
 * size and depth are limited.
 *
 * @throws CodedError `INVALID_QUERY` for anything that is not a query; throws nothing else
 */
export function parseListQuery(terms: QueryTerms, query: unknown): ParsedListQuery {
  if (!isObject(query)) throw invalidQuery([], 'An object is expected.');
  const own: Readonly<Record<string, unknown>> = { __proto__: null, ...query };
  const { where, orderBy, limit, after, select, include, count, access, ...others } = own;
  refuseOthers(others);
  const { model, maxLimit = defaultMaxLimit, entitlements = noEntitlements } = terms;
  const order = orderBy === undefined ? defaultOrder : parseOrder(terms, toList('orderBy', orderBy));
  return {
    where: parseWhere(terms, where),
    order,
    after: after === undefined || after === null ? null : parseListCursor(terms, order, toText('after', after)),
    limit: parseLimit(limit, maxLimit),
    select: select === undefined ? null : parseSelect(model, toList('select', select)),
    include: parseInclude(terms, toList('include', include)),
    count: parseFlag('count', count),
    entitlements: toList('access', access).map((name) => parseEntitlement(name, entitlements)),
  };
}

/**
 * Parses the query for one record: its fields, and the relations to include.
 *
 * @param terms - called only if something is requested, which is rare
 * @throws CodedError `INVALID_QUERY`
 */
export function parseGetQuery(terms: () => QueryTerms, query: object): GetQuery {
  return parseParameters(terms, query, parametersOfGet);
}

/**
 * Parses the query for a record that is created: the entitlements to check on it.
 *
 * @param terms - called only if something is requested, which is rare
 * @throws CodedError `INVALID_QUERY`
 */
export function parseAccessQuery(terms: () => QueryTerms, query: object): Pick<GetQuery, 'entitlements'> {
  return parseParameters(terms, query, parametersOfCreate);
}

function parseParameters(terms: () => QueryTerms, query: object, known: ReadonlySet<string>): GetQuery {
  const names = Object.keys(query);
  if (names.length === 0) return allFieldsOnly;
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw invalidQuery([unknown], 'Unknown parameter.');
  return parseListQuery(terms(), query);
}

/** The defaults, if nothing is requested. */
const allFieldsOnly: GetQuery = { select: null, include: [], entitlements: [] };

const parametersOfGet: ReadonlySet<string> = new Set(['select', 'include', 'access']);
const parametersOfCreate: ReadonlySet<string> = new Set(['access']);

/** The order of a list if none is requested. */
export const defaultOrder: readonly SortKey[] = [{ column: 'id', direction: 'asc' }];

/**
 * Parses the parts of an order such as `createdAt:desc` or `project.name`; of other records, nothing is readable until
 * `restrictOrder` has said what is. If they are not a total order, the primary key is added, in
 * the direction of the last part, so that an index serves both.
 *
 * @throws CodedError `INVALID_QUERY`
 */
function parseOrder(fields: ComparableFields, parts: readonly string[]): readonly SortKey[] {
  if (parts.length > maxKeys) throw invalidQuery(orderPlace, `A list is ordered by at most ${maxKeys} fields.`);
  const keys = parts.map((part) => parseSortKey(fields, part));
  const paths = keys.map(toOrderPath);
  if (new Set(paths).size < paths.length) throw invalidQuery(orderPlace, 'A field is named twice.');
  const last = keys.at(-1);
  if (!last) throw invalidQuery(orderPlace, 'A field is expected.');
  const id = paths.indexOf('id');
  return id < 0 ? [...keys, { column: 'id', direction: last.direction }] : keys.slice(0, id + 1);
}

function parseSortKey(fields: ComparableFields, part: string): SortKey {
  const colon = part.indexOf(':');
  const [path, direction] = colon < 0 ? [part, 'asc'] : [part.slice(0, colon), part.slice(colon + 1)];
  const { column, path: steps, through } = findFieldByPath(fields, path, orderPlace);
  if (steps) throw invalidQuery([...orderPlace, path], 'Values in JSON have no order.');
  if (direction !== 'asc' && direction !== 'desc') {
    throw invalidQuery([...orderPlace, path], 'The direction is asc or desc.');
  }
  return { column, direction, ...(through && { through: { ...through, readable: none } }) };
}

const maxKeys = 8;

const orderPlace = ['orderBy'];

function toText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalidQuery([name], 'A text is expected.');
}

/** A list is either an array of strings, or one string with commas. */
function toList(name: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return value.split(',', maxListed + 1);
  if (!Array.isArray(value)) throw invalidQuery([name], 'A list of texts is expected.');
  if (value.length > maxListed) throw invalidQuery([name], 'The list is too long.');
  return value.map((item: unknown) => toText(name, item));
}

/** More than a model has fields; limits on longer lists apply elsewhere. */
const maxListed = 200;

function parseLimit(value: unknown, maxLimit: number): number {
  if (value === undefined) return Math.min(defaultLimit, maxLimit);
  const limit = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  throw invalidQuery(['limit'], `A whole number from 1 to ${maxLimit} is expected.`);
}

function parseSelect(model: Model, names: readonly string[]): readonly string[] {
  for (const name of names) findVisibleField(model, { name, place: ['select'] });
  return [...new Set(names)];
}

function parseFlag(name: string, value: unknown): boolean {
  if (value === undefined || value === false || value === 'false') return false;
  if (value === true || value === 'true') return true;
  throw invalidQuery([name], 'Either true or false is expected.');
}

const noEntitlements: ReadonlySet<string> = new Set();

function parseEntitlement(name: string, entitlements: ReadonlySet<string>): string {
  if (entitlements.has(name)) return name;
  throw invalidQuery(['access', name], 'Unknown entitlement.');
}

/**
 * Parses paths of relations such as `comments` or `project.organization`; one path of two levels includes both.
 *
 * @throws CodedError `INVALID_QUERY`
 */
function parseInclude(fields: ComparableFields, paths: readonly string[]): readonly Inclusion[] {
  if (paths.length > maxInclusions) throw invalidQuery(['include'], `At most ${maxInclusions} relations are included.`);
  const steps = paths.map((path) => path.split('.', maxLevels + 1));
  if (steps.some(({ length }) => length > maxLevels)) {
    throw invalidQuery(['include'], `Relations are followed at most ${maxLevels} levels.`);
  }
  return toInclusions(fields, steps);
}

function toInclusions(fields: ComparableFields, paths: readonly (readonly string[])[]): readonly Inclusion[] {
  const byRelation = Map.groupBy(paths, ([relation = '']) => relation);
  return [...byRelation].map(([relation, followed]) => {
    const found = findRelation(fields, relation);
    if (!found) throw invalidQuery(['include', relation], 'Unknown relation.');
    const further = followed.map(([, ...rest]) => rest).filter(({ length }) => length > 0);
    return { relation, include: toInclusions(found.fields, further) };
  });
}

const maxLevels = 2;

const maxInclusions = 10;

/**
 * Converts the parameters of a URL to the JSON form of a query, which {@link parseListQuery} parses: `where[title]=x`
 * and `where[title][eq]=x` become `{ where: { title: { eq: 'x' } } }`, all others keep their text. A list of values is
 * one text with commas, or one parameter for each value, which may then have commas: `where[title][in][]=a%2Cb`.
 *
 * @throws CodedError `INVALID_QUERY` if a parameter other than a list is repeated, or a name is malformed
 */
export function toQueryObject(parameters: Iterable<readonly [string, string]>): Readonly<Record<string, unknown>> {
  const scalars = new Map<string, string>();
  const filters = new Map<string, Operands>();
  for (const [name, text] of parameters) {
    const [, field, operator = 'eq', brackets] = filterName.exec(name) ?? [];
    if (field === undefined) {
      put(scalars, { name, value: text, place: [name] });
      continue;
    }
    const place = ['where', field, operator];
    if (combinatorName.test(field)) throw invalidQuery(['where', field], 'Only the JSON form combines filters.');
    addOperand(operandsOf(filters, field), { name: operator, value: brackets ? [text] : text, place });
  }
  if (filters.size === 0) return Object.fromEntries(scalars);
  const where = Object.fromEntries([...filters].map(([field, operands]) => [field, Object.fromEntries(operands)]));
  if (scalars.has('where')) throw invalidQuery(['where'], 'This parameter is given twice.');
  return Object.fromEntries<unknown>([...scalars, ['where', where]]);
}

const filterName = /^where\[([^[\]]*)\](?:\[([^[\]]*)\](\[\])?)?$/;

const combinatorName = /^(AND|OR|NOT)$/;

/** The operands of one field by their operators. */
type Operands = Map<string, string | readonly string[]>;

/** A value by its name, and where it is in the query. */
interface PlacedValue<Value> {
  readonly name: string;
  readonly value: Value;
  readonly place: readonly string[];
}

function put<Value>(values: Map<string, Value>, { name, value, place }: PlacedValue<Value>): void {
  if (values.has(name)) throw invalidQuery(place, 'This parameter is given twice.');
  values.set(name, value);
}

/** A list takes one more value; any other operator has one operand. */
function addOperand(operands: Operands, operand: PlacedValue<string | readonly string[]>): void {
  const { name, value } = operand;
  const before = takesList(name) ? operands.get(name) : undefined;
  if (before === undefined) put(operands, operand);
  else operands.set(name, [before, value].flat());
}

function operandsOf(filters: Map<string, Operands>, field: string): Operands {
  const operands: Operands = filters.get(field) ?? new Map();
  filters.set(field, operands);
  return operands;
}
