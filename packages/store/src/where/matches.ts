import type { GrantedResources } from '../access/role-assignments.ts';
import { compareDecimals } from '../decimal.ts';
import { compareCodePoints, type JsonValue } from '../values.ts';
import { foldCase } from './fold-case.ts';
import { readJson } from './json-path.ts';
import {
  type CaselessOperator,
  type ComparisonOperator,
  type TextOperator,
  valueAtPath,
  type Where,
  type WhereColumn,
  whereOperators,
  type WhereValue,
} from './where.ts';

/** One row as conditions see it: every column that the condition names, with null for no value. */
export type ConditionRow = Readonly<Record<string, JsonValue | Date>>;

/** Says whether a resource is among those that a `granted` condition selects. */
export type IsGranted = (resources: GrantedResources, id: string) => boolean;

/** The row of another entity that a `related` condition is about, and the context of conditions on it. */
export interface RelatedRow {
  readonly row: ConditionRow;
  readonly context: MatchContext;
}

/** The context that conditions need beside the row. */
export interface MatchContext {
  /** Evaluates `granted` conditions, for which a store is needed. */
  readonly isGranted?: IsGranted;
  /** Says which columns are decimals, whose texts compare by size. Default: none. */
  readonly isDecimal?: (column: string) => boolean;
  /** Finds the rows that `related` conditions are about, for which a store is needed; undefined if there is none. */
  readonly findRelated?: (entity: string, id: string) => RelatedRow | undefined;
}

/**
 * Says whether a row satisfies a condition: the reference implementation of conditions.
 *
 * @throws TypeError if the condition names a column that the row does not have, compares values that can't be compared,
 * or is a `granted` condition without `isGranted`, or a `related` one without `findRelated`
 */
export function matches(where: Where, row: ConditionRow, context: MatchContext = {}): boolean {
  return evaluate(where, row, context) === true;
}

/** Null is the third truth value: unknown. */
function evaluate(where: Where, row: ConditionRow, context: MatchContext): boolean | null {
  switch (where.type) {
    case 'constant':
      return where.value;
    case 'and':
      return decide(where.operands, false, (operand) => evaluate(operand, row, context));
    case 'or':
      return decide(where.operands, true, (operand) => evaluate(operand, row, context));
    case 'not':
      return negate(evaluate(where.operand, row, context));
    case 'compare': {
      const toOrder = orderOf(where.column, context);
      return compare(read(row, where.column), where.operator, toOperand(where.value, row), toOrder);
    }
    case 'in':
      return isIn(read(row, where.column), where.values, orderOf(where.column, context));
    case 'text':
      return compareText(read(row, where.column), where.operator, toOperand(where.value, row));
    case 'caseless':
      return compareCaseless(read(row, where.column), where.operator, where.value);
    case 'granted':
      return isGrantedResource(read(row, where.column), where.resources, context);
    case 'related':
      return isRelated(read(row, where.column), where, context);
    case 'json': {
      const json = toCell(row, where.column);
      // Dates are no JSON.
      if (json instanceof Date) throw new TypeError(`The column ${where.column} holds no JSON.`);
      return evaluate(where.where, { [valueAtPath]: readJson(json, where.path, where.as) }, {});
    }
    case 'isNull':
      return toCell(row, where.column) === null;
  }
}

/** One `decisive` operand decides the outcome; without one, an unknown operand makes it unknown. */
function decide(
  operands: readonly Where[],
  decisive: boolean,
  toValue: (operand: Where) => boolean | null,
): boolean | null {
  let outcome: boolean | null = !decisive;
  for (const operand of operands) {
    const value = toValue(operand);
    if (value === decisive) return decisive;
    if (value === null) outcome = null;
  }
  return outcome;
}

function negate(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

type ToOrder = (a: WhereValue, b: WhereValue) => number;

function orderOf(column: string, { isDecimal }: MatchContext): ToOrder {
  return isDecimal?.(column) ? compareAsDecimals : compareValues;
}

const compareAsDecimals: ToOrder = (a, b) => compareDecimals(String(a), String(b));

function compare(
  cell: WhereValue | null,
  operator: ComparisonOperator,
  value: WhereValue | null,
  toOrder: ToOrder,
): boolean | null {
  if (cell === null || value === null) return null;
  return whereOperators[operator].holds(toOrder(cell, value));
}

function isIn(cell: WhereValue | null, values: readonly WhereValue[], toOrder: ToOrder): boolean | null {
  if (values.length === 0) return false;
  return cell === null ? null : values.some((value) => toOrder(cell, value) === 0);
}

function isGrantedResource(cell: WhereValue | null, resources: GrantedResources, { isGranted }: MatchContext): boolean {
  if (!isGranted) throw new TypeError('Nothing here knows which resources are granted.');
  if (cell === null) return false;
  if (typeof cell === 'string') return isGranted(resources, cell);
  throw new TypeError(`A ${typeof cell} is not an id.`);
}

function isRelated(
  cell: WhereValue | null,
  { entity, readable, where }: Extract<Where, { readonly type: 'related' }>,
  { findRelated }: MatchContext,
): boolean | null {
  if (!findRelated) throw new TypeError('Nothing here knows the rows of other entities.');
  const found = cell === null ? undefined : findRelated(entity, String(cell));
  if (!found || !matches(readable, found.row, found.context)) return null;
  return evaluate(where, found.row, found.context);
}

function compareText(cell: WhereValue | null, operator: TextOperator, part: WhereValue | null): boolean | null {
  if (cell === null || part === null) return null;
  if (typeof cell === 'string' && typeof part === 'string') return whereOperators[operator].holds(cell, part);
  throw new TypeError('Only a text can contain a text.');
}

function compareCaseless(cell: WhereValue | null, operator: CaselessOperator, part: string): boolean | null {
  if (cell === null) return null;
  if (typeof cell === 'string') return whereOperators[operator].holds(foldCase(cell), foldCase(part));
  throw new TypeError('Only a text can contain a text.');
}

/** Orders two values of the same type: numbers by size, false before true, texts by code point. */
function compareValues(a: WhereValue, b: WhereValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  if (typeof a === 'number' && typeof b === 'number') return toSign(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  throw new TypeError(`A ${typeof a} can't be compared with a ${typeof b}.`);
}

/** Subtraction would lose precision between distant numbers. */
function toSign(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function toOperand(value: WhereValue | WhereColumn, row: ConditionRow): WhereValue | null {
  return typeof value === 'object' ? read(row, value.column) : value;
}

function read(row: ConditionRow, column: string): WhereValue | null {
  const cell = toCell(row, column);
  if (cell instanceof Date) return cell.getTime();
  if (cell !== null && typeof cell === 'object') throw new TypeError(`The column ${column} holds JSON.`);
  return cell as WhereValue | null;
}

function toCell(row: ConditionRow, column: string): JsonValue | Date {
  const cell = Object.hasOwn(row, column) ? row[column] : undefined;
  if (cell === undefined) throw new TypeError(`The row has no column ${column}.`);
  return cell;
}
