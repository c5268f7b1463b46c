import type { SortKey } from '@x/store';
import { all, type Where, type WhereValue } from '@x/store/where';
import type { Model } from '../model/model.ts';
import { parseListCursor } from './list-cursor.ts';
import { type FindModel, type Inclusion, parseInclude } from './parse-include.ts';
import { defaultOrder, parseOrder } from './parse-order.ts';
import { parseWhere } from './parse-where.ts';
import { type ComparableFields, findVisibleField, invalidQuery } from './query-terms.ts';

/** A parsed list query: every name in it is defined by the model. */
export interface ListQuery {
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
  readonly access: readonly string[];
}

/** What a query may refer to. */
export interface QueryTerms extends ComparableFields {
  /** Finds the models of relations. */
  readonly findModel: FindModel;
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
export function parseListQuery(terms: QueryTerms, query: unknown): ListQuery {
  const given = toParts(query);
  const { model, findModel, maxLimit = defaultMaxLimit, entitlements = none } = terms;
  const order = given.has('orderBy') ? parseOrder(terms, toList('orderBy', given.get('orderBy'))) : defaultOrder;
  const after = given.get('after');
  const select = given.get('select');
  return {
    where: given.has('where') ? parseWhere(terms, given.get('where')) : all,
    order,
    after: after === undefined ? null : parseListCursor(model, order, toText('after', after)),
    limit: parseLimit(given.get('limit'), maxLimit),
    select: select === undefined ? null : parseSelect(model, toList('select', select)),
    include: given.has('include') ? parseInclude(model, toList('include', given.get('include')), findModel) : [],
    count: parseFlag('count', given.get('count')),
    access: toList('access', given.get('access')).map((name) => assertKnown(name, entitlements)),
  };
}

/**
 * Parses the query for one record: which fields, and what to include.
 *
 * @param terms - called only if something is requested, which is rare
 * @throws CodedError `INVALID_QUERY`
 */
export function parseGetQuery(
  terms: () => QueryTerms,
  query: Readonly<Record<string, unknown>>,
): Pick<ListQuery, 'select' | 'include' | 'access'> {
  const names = Object.keys(query);
  if (names.length === 0) return allFieldsOnly;
  const unknown = names.find((name) => !parametersOfGet.has(name));
  if (unknown !== undefined) throw invalidQuery([unknown], 'Unknown parameter.');
  return parseListQuery(terms(), query);
}

/** The defaults, if nothing is requested. */
const allFieldsOnly: Pick<ListQuery, 'select' | 'include' | 'access'> = { select: null, include: [], access: [] };

const parametersOfGet: ReadonlySet<string> = new Set(['select', 'include', 'access']);

const none: ReadonlySet<string> = new Set();

const parameters: ReadonlySet<string> = new Set([
  'where',
  'orderBy',
  'limit',
  'after',
  'select',
  'include',
  'count',
  'access',
]);

/** Own properties only; one that is undefined counts as left out. */
function toParts(query: unknown): ReadonlyMap<string, unknown> {
  if (typeof query !== 'object' || query === null || Array.isArray(query)) {
    throw invalidQuery([], 'An object is expected.');
  }
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  const unknown = entries.find(([name]) => !parameters.has(name));
  if (unknown) throw invalidQuery([unknown[0]], 'Unknown parameter.');
  return new Map(entries);
}

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
  for (const name of names) findVisibleField(model, name, ['select']);
  return [...new Set(names)];
}

function parseFlag(name: string, value: unknown): boolean {
  if (value === undefined || value === false || value === 'false') return false;
  if (value === true || value === 'true') return true;
  throw invalidQuery([name], 'Either true or false is expected.');
}

function assertKnown(name: string, entitlements: ReadonlySet<string>): string {
  if (entitlements.has(name)) return name;
  throw invalidQuery(['access', name], 'Unknown entitlement.');
}
