import type { ComparisonOperator, TextOperator, Where, WhereColumn, WhereValue } from '@x/store/where';
import type { SampleColumn, SampleRow } from './any-where.ts';
import file from './where-filters.json' with { type: 'json' };

/** A filter of the public cases in our terms, and the ids of the rows that it is true of. */
export interface FilterCase {
  readonly name: string;
  readonly where: Where;
  readonly expected: readonly string[];
}

/** The columns of {@link filterRows} beside the id. */
export const filterColumns: readonly SampleColumn[] = [
  { name: 'aBool', type: 'boolean' },
  { name: 'aString', type: 'text' },
  { name: 'aNumber', type: 'number' },
  { name: 'aOptionalString', type: 'text' },
];

/** The rows that the public cases are about. */
export const filterRows: readonly SampleRow[] = file.rows;

/** A column or value, or an operator with its operands, as the file writes them. */
type Term = { readonly field: string } | { readonly value: WhereValue | readonly WhereValue[] } | Expression;

type Expression = readonly [string, ...Term[]];

/** Where a comparison has its column on the right, the one that says the same from there. */
const mirrored: Readonly<Record<string, string>> = { lt: 'gt', gt: 'lt', le: 'ge', ge: 'le', eq: 'eq', ne: 'ne' };

const comparisons: Readonly<Record<string, ComparisonOperator>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'lt',
  gt: 'gt',
  le: 'lte',
  ge: 'gte',
};

const textOperators: readonly string[] = ['contains', 'startsWith', 'endsWith'] satisfies TextOperator[];

function toWhere(term: Term): Where {
  if ('field' in term) return { type: 'compare', column: term.field, operator: 'eq', value: true };
  if (!isExpression(term)) throw new TypeError('A value is no condition.');
  const [operator, ...terms] = term;
  if (operator === 'and' || operator === 'or') return { type: operator, operands: terms.map(toWhere) };
  const [left, right] = terms;
  if (left && operator === 'not') return { type: 'not', operand: toWhere(left) };
  if (!left || !right) throw new TypeError(`The operator ${operator} has too few operands.`);
  if (textOperators.includes(operator)) return toText(operator as TextOperator, left, right);
  if ('value' in left) return toWhere([mirrored[operator] ?? operator, right, left]);
  const value = 'value' in right ? right.value : { column: toField(right) };
  if (operator === 'in' && Array.isArray(value)) return { type: 'in', column: toField(left), values: value };
  const comparison = comparisons[operator];
  if (!comparison) throw new TypeError(`The operator ${operator} is none of ours.`);
  return { type: 'compare', column: toField(left), operator: comparison, value: value as WhereValue | WhereColumn };
}

/** A text that has a column in it: the column is one of the text's parts. */
function toText(operator: TextOperator, left: Term, right: Term): Where {
  if ('value' in left) return { type: 'in', column: toField(right), values: toParts[operator](String(left.value)) };
  const value = 'value' in right ? String(right.value) : { column: toField(right) };
  return { type: 'text', column: toField(left), operator, value };
}

const toParts: Readonly<Record<TextOperator, (text: string) => readonly string[]>> = {
  startsWith: (text) => Array.from({ length: text.length + 1 }, (_, end) => text.slice(0, end)),
  endsWith: (text) => Array.from({ length: text.length + 1 }, (_, start) => text.slice(start)),
  contains: (text) => toParts.endsWith(text).flatMap(toParts.startsWith),
};

function toField(term: Term): string {
  if ('field' in term) return term.field;
  throw new TypeError('A column was expected.');
}

function isExpression(term: Term): term is Expression {
  return Array.isArray(term);
}

/** Every case of the file. One is a filter that permits nothing. */
export const filterCases: readonly FilterCase[] = file.cases.map(({ name, where, expected }) => ({
  name,
  where: where ? toWhere(where as unknown as Term) : { type: 'constant', value: false },
  expected,
}));
