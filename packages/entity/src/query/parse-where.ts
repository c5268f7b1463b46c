import { isObject } from '@x/errors';
import {
  all,
  and,
  atPath,
  type JsonType,
  none,
  not,
  or,
  related,
  type Where,
  type WhereOperator,
  type WhereOperators,
  whereOperators,
  type WhereValue,
} from '@x/store/where';
import { coerceValue } from '../model/coerce-value.ts';
import type { Field } from '../model/field.ts';
import { isWithin } from '../model/value-schema.ts';
import { type ComparableFields, findFieldByPath, invalidQuery } from './query-terms.ts';

const maxDepth = 8;
const maxConditions = 50;
const maxGroups = 100;
const maxListed = 100;

/** The most code points of a text to search for. */
const maxSearched = 256;

/** The place of a problem within the query. */
type Place = readonly (string | number)[];

/**
 * Parses the filter of a query: `{ status: 'open', createdAt: { gte: '…' }, OR: [{ … }, { … }], NOT: { … } }`. Adjacent
 * members must all hold. `{ 'project.name': 'x' }` is about the record that a `belongsTo` relation leads to; nothing
 * matches it until `restrictRelated` has said which of those the caller may read. `{ 'meta.deep.a': { gt: 3 } }` is
 * about a value in JSON, which compares with operands of its own type. Without a filter, all records match.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function parseWhere(fields: ComparableFields, filter: unknown): Where {
  if (filter === undefined) return all;
  const context = { fields, conditions: new Budget(maxConditions), groups: new Budget(maxGroups) };
  return parseGroup(context, filter, { place: ['where'], depth: 0 });
}

interface Context {
  readonly fields: ComparableFields;
  readonly conditions: Budget;
  /** The filters that `AND`, `OR` and `NOT` combine. */
  readonly groups: Budget;
}

/** How many conditions, or groups of them, a query may still have. */
class Budget {
  readonly #max: number;
  #left: number;

  constructor(max: number) {
    this.#max = max;
    this.#left = max;
  }

  /** Counts one of them. */
  spend(place: Place): void {
    this.#left -= 1;
    if (this.#left < 0) throw invalidQuery(place, `A query has at most ${this.#max} of these.`);
  }
}

interface Position {
  readonly place: Place;
  readonly depth: number;
}

function parseGroup(context: Context, filter: unknown, { place, depth }: Position): Where {
  if (depth > maxDepth) throw invalidQuery(place, `Conditions are nested at most ${maxDepth} deep.`);
  const operands = toEntries(filter, place).flatMap(([name, value]) => {
    const at = { place: [...place, name], depth: depth + 1 };
    const combine = combinators.get(name);
    return combine ? [combine(context, value, at)] : parseField(context, name, value, place);
  });
  return and(...operands);
}

type Combine = (context: Context, value: unknown, position: Position) => Where;

const combinators: ReadonlyMap<string, Combine> = new Map<string, Combine>([
  ['AND', (context, value, at) => and(...parseGroups(context, value, at))],
  ['OR', (context, value, at) => or(...parseGroups(context, value, at))],
  ['NOT', (context, value, at) => not(parseNegated(context, value, at))],
]);

function parseGroups(context: Context, value: unknown, { place, depth }: Position): readonly Where[] {
  if (!Array.isArray(value)) throw invalidQuery(place, 'A list of filters is expected.');
  return value.map((filter: unknown, index) => {
    context.groups.spend(place);
    return parseGroup(context, filter, { place: [...place, index], depth });
  });
}

function parseNegated(context: Context, value: unknown, position: Position): Where {
  context.groups.spend(position.place);
  return parseGroup(context, value, position);
}

function parseField({ fields, conditions }: Context, name: string, value: unknown, place: Place): readonly Where[] {
  const { column, field, path, through } = findFieldByPath(fields, name, place);
  const comparisons = isFilter(value) ? toEntries(value, [...place, name]) : ([['eq', value]] as const);
  const operands = comparisons.map(([operator, operand]) => {
    const at = [...place, name, operator];
    conditions.spend(at);
    const comparison = { column, field, operand, place: at };
    return path ? parseAtPath(operator, comparison, path) : parseCondition(operator, comparison);
  });
  if (!through || operands.length === 0) return operands;
  return [related(through.column, { entity: through.entity, readable: none, where: and(...operands) })];
}

interface Comparison {
  readonly column: string;
  readonly field: Field;
  readonly operand: unknown;
  readonly place: Place;
}

const operators: ReadonlyMap<string, WhereOperators[WhereOperator]> = new Map(Object.entries(whereOperators));

/** Says whether a name from a caller is that of an operator that compares with a list of values. */
export function takesList(name: string): boolean {
  return operators.get(name)?.operand === 'values';
}

function parseCondition(name: string, comparison: Comparison): Where {
  const operator = operators.get(name);
  if (!operator) throw invalidQuery(comparison.place, 'Unknown operator.');
  const { column, field, operand, place } = comparison;
  switch (operator.operand) {
    case 'value':
      return operator.toWhere(column, coerce(field, operand, place));
    case 'text':
    case 'caseless':
      return operator.toWhere(column, parseText(comparison));
    case 'values':
      return operator.toWhere(column, parseValues(comparison));
    case 'boolean':
      return operator.toWhere(column, parseBoolean(comparison));
  }
}

/** Parses a condition on a value in JSON. Its operand says which type the value has to be of. */
function parseAtPath(name: string, { column, operand, place }: Comparison, path: readonly string[]): Where {
  const as = operators.get(name)?.operand === 'boolean' ? 'json' : typeOfOperand(operand, place);
  return atPath(column, { path, as }, (value) =>
    parseCondition(name, { column: value, field: { type: as, options: {} }, operand, place }),
  );
}

function typeOfOperand(operand: unknown, place: Place): Exclude<JsonType, 'json'> {
  const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  const types = new Set(values.map((value) => typeof value));
  if (types.size > 1) throw invalidQuery(place, 'The values of a list are of one type.');
  const [type = 'string'] = types;
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'boolean') return type;
  throw invalidQuery(place, 'A text, a number, or true or false is expected.');
}

function parseText({ field, operand, place }: Comparison): string {
  const value = field.type === 'text' ? coerce(field, operand, place) : undefined;
  if (typeof value !== 'string') throw invalidQuery(place, 'Only a text can be searched.');
  if (isWithin(value, maxSearched)) return value;
  throw invalidQuery(place, `A text to search for has at most ${maxSearched} characters.`);
}

/** As one text, the values of a list are separated by commas. */
function parseValues({ field, operand, place }: Comparison): readonly WhereValue[] {
  const listed: unknown = typeof operand === 'string' ? operand.split(',', maxListed + 1) : operand;
  if (!Array.isArray(listed)) throw invalidQuery(place, 'A list of values is expected.');
  if (listed.length > maxListed) throw invalidQuery(place, `A list has at most ${maxListed} values.`);
  return listed.map((value) => coerce(field, value, place));
}

function parseBoolean({ operand, place }: Comparison): boolean {
  const value = coerceValue({ type: 'boolean', options: {} }, operand);
  if (typeof value !== 'boolean') throw invalidQuery(place, 'Either true or false is expected.');
  return value;
}

function coerce(field: Field, operand: unknown, place: Place): WhereValue {
  const value = coerceValue(field, operand);
  if (value === undefined) throw invalidQuery(place, 'This is not a value of the field.');
  return value;
}

function toEntries(value: unknown, place: Place): readonly (readonly [string, unknown])[] {
  if (isFilter(value)) return Object.entries(value);
  throw invalidQuery(place, 'An object is expected.');
}

/** In process, a value may be a date. */
function isFilter(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !(value instanceof Date);
}
