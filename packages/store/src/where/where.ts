import type { GrantedResources } from '../access/role-assignments.ts';

/** A value that a condition compares with; dates are milliseconds since 1970. Never NaN or infinite. */
export type WhereValue = string | number | boolean;

/** Another column of the same row, in place of a value. */
export interface WhereColumn {
  readonly column: string;
}

/**
 * A condition on one row, as plain data: the rows that a rule permits, or the filter of a caller. Build it with
 * {@link and}, {@link eq} and the other functions below.
 *
 * It has three-valued logic like SQL: any comparison with a null column, including `ne`, is neither true nor false, and
 * so is its `not`. A row matches only if the whole condition is true. Texts compare by code point, case-sensitively.
 * `matches` is the reference implementation, and every engine agrees with it.
 *
 * A `column` is the name of a field of the model. It never comes from a caller directly: the code that builds a
 * condition looks the name up in the model.
 */
export type Where =
  /** True for every row, or for none. */
  | { readonly type: 'constant'; readonly value: boolean }
  /** Without operands, `and` is true and `or` is false. */
  | { readonly type: 'and' | 'or'; readonly operands: readonly Where[] }
  | { readonly type: 'not'; readonly operand: Where }
  | {
      readonly type: 'compare';
      readonly column: string;
      readonly operator: ComparisonOperator;
      readonly value: WhereValue | WhereColumn;
    }
  /** The column equals one of the values. Without values it is false, even for a null column. */
  | { readonly type: 'in'; readonly column: string; readonly values: readonly WhereValue[] }
  /** The column contains the text, literally: no character is a wildcard. */
  | {
      readonly type: 'text';
      readonly column: string;
      readonly operator: TextOperator;
      readonly value: string | WhereColumn;
    }
  /** The same for any case of letters: both texts are compared as `foldCase` converts them. */
  | { readonly type: 'caseless'; readonly column: string; readonly operator: CaselessOperator; readonly value: string }
  /**
   * The column is the id of a resource on which a user has one of the roles; false for a null column. A store evaluates
   * it in the same query.
   */
  | { readonly type: 'granted'; readonly column: string; readonly resources: GrantedResources }
  /** A condition on the row of another entity that the column names: see {@link related}. */
  | {
      readonly type: 'related';
      readonly column: string;
      readonly entity: string;
      readonly readable: Where;
      readonly where: Where;
    }
  /** A condition on the value at a path in a column of JSON: see {@link atPath}. */
  | {
      readonly type: 'json';
      readonly column: string;
      readonly path: readonly string[];
      readonly as: JsonType;
      readonly where: Where;
    }
  /** The only condition that is true for a null column. */
  | { readonly type: 'isNull'; readonly column: string };

/** The values in JSON that a condition is about: of one type, or `json` for any, which can only be null or not. */
export type JsonType = 'text' | 'number' | 'boolean' | 'json';

/** True for every row. */
export const all: Where = Object.freeze({ type: 'constant', value: true });

/** True for no row. */
export const none: Where = Object.freeze({ type: 'constant', value: false });

/** Joins conditions that must all be true. Constants and repeated objects are folded; without operands: {@link all}. */
export function and(...operands: readonly Where[]): Where {
  return join('and', operands);
}

/** Joins conditions of which one must be true. Folds constants and repeated objects; without operands: {@link none}. */
export function or(...operands: readonly Where[]): Where {
  return join('or', operands);
}

/** Negates a condition; unknown stays unknown. */
export function not(operand: Where): Where {
  return { type: 'not', operand };
}

type Compare = (column: string, value: WhereValue | WhereColumn) => Where;

export const eq: Compare = (column, value) => ({ type: 'compare', column, operator: 'eq', value });
export const ne: Compare = (column, value) => ({ type: 'compare', column, operator: 'ne', value });
export const gt: Compare = (column, value) => ({ type: 'compare', column, operator: 'gt', value });
export const gte: Compare = (column, value) => ({ type: 'compare', column, operator: 'gte', value });
export const lt: Compare = (column, value) => ({ type: 'compare', column, operator: 'lt', value });
export const lte: Compare = (column, value) => ({ type: 'compare', column, operator: 'lte', value });

type TextCompare = (column: string, value: string | WhereColumn) => Where;

export const contains: TextCompare = (column, value) => ({ type: 'text', column, operator: 'contains', value });
export const startsWith: TextCompare = (column, value) => ({ type: 'text', column, operator: 'startsWith', value });
export const endsWith: TextCompare = (column, value) => ({ type: 'text', column, operator: 'endsWith', value });

type CaselessCompare = (column: string, value: string) => Where;

export const icontains: CaselessCompare = (column, value) => ({
  type: 'caseless',
  column,
  operator: 'icontains',
  value,
});
export const istartsWith: CaselessCompare = (column, value) => ({
  type: 'caseless',
  column,
  operator: 'istartsWith',
  value,
});

/** The column equals one of the values. */
export function isIn(column: string, values: readonly WhereValue[]): Where {
  return { type: 'in', column, values };
}

/** The column has no value. */
export function isNull(column: string): Where {
  return { type: 'isNull', column };
}

/** The column is the id of a resource on which a user has one of the roles. */
export function granted(column: string, resources: GrantedResources): Where {
  return { type: 'granted', column, resources };
}

/** A part of a condition that roles decide. */
export type GrantedWhere = Extract<Where, { readonly type: 'granted' }>;

/** Finds the parts of a condition that roles decide; not those on related rows, which are not of the row itself. */
export function findGranted(where: Where): readonly GrantedWhere[] {
  switch (where.type) {
    case 'granted':
      return [where];
    case 'and':
    case 'or':
      return where.operands.flatMap(findGranted);
    case 'not':
      return findGranted(where.operand);
    case 'constant':
    case 'compare':
    case 'in':
    case 'text':
    case 'caseless':
    case 'related':
    case 'json':
    case 'isNull':
      return [];
  }
}

/**
 * The column is the id of a row of another entity that satisfies a condition. It is neither true nor false, and so is
 * its `not`, if the column is null, or if no such row is `readable`: nothing about other rows shows in the result.
 */
export function related(
  column: string,
  other: { readonly entity: string; readonly readable: Where; readonly where: Where },
): Where {
  return { type: 'related', column, ...other };
}

/**
 * A condition on the value at a path in a column of JSON, as on a column of that type. Such a column is null where the
 * value is missing, null, or of another type.
 *
 * @param path - member names and, in lists, positions from 0: `['labels', '0']`. A position has no sign and no leading
 * zero; in an object, it is a name like any other.
 * @param toWhere - builds the condition, given the name of the column
 */
export function atPath(
  column: string,
  { path, as }: { readonly path: readonly string[]; readonly as: JsonType },
  toWhere: (value: string) => Where,
): Where {
  return { type: 'json', column, path, as, where: toWhere(valueAtPath) };
}

/** The name of the column that conditions at a path are about. */
export const valueAtPath = 'value';

/**
 * The operators on one column that a caller may filter by, under their public names. This table is the one place where
 * an operator is declared: the query parser, the API's description and the client's types read it, and SQL has one
 * entry for each, which the compiler asks for.
 */
export const whereOperators: WhereOperators = {
  eq: { operand: 'value', toWhere: eq, holds: (order) => order === 0 },
  ne: { operand: 'value', toWhere: ne, holds: (order) => order !== 0 },
  gt: { operand: 'value', toWhere: gt, holds: (order) => order > 0 },
  gte: { operand: 'value', toWhere: gte, holds: (order) => order >= 0 },
  lt: { operand: 'value', toWhere: lt, holds: (order) => order < 0 },
  lte: { operand: 'value', toWhere: lte, holds: (order) => order <= 0 },
  in: { operand: 'values', toWhere: isIn },
  notIn: { operand: 'values', toWhere: (column, values) => not(isIn(column, values)) },
  contains: { operand: 'text', toWhere: contains, holds: (text, part) => text.includes(part) },
  startsWith: { operand: 'text', toWhere: startsWith, holds: (text, part) => text.startsWith(part) },
  endsWith: { operand: 'text', toWhere: endsWith, holds: (text, part) => text.endsWith(part) },
  icontains: { operand: 'caseless', toWhere: icontains, holds: (text, part) => text.includes(part) },
  istartsWith: { operand: 'caseless', toWhere: istartsWith, holds: (text, part) => text.startsWith(part) },
  isNull: { operand: 'boolean', toWhere: (column, wanted) => (wanted ? isNull(column) : not(isNull(column))) },
};

/** The type of {@link whereOperators}. */
export interface WhereOperators {
  readonly eq: Comparison;
  readonly ne: Comparison;
  readonly gt: Comparison;
  readonly gte: Comparison;
  readonly lt: Comparison;
  readonly lte: Comparison;
  readonly in: Operator<'values', readonly WhereValue[]>;
  readonly notIn: Operator<'values', readonly WhereValue[]>;
  readonly contains: TextComparison;
  readonly startsWith: TextComparison;
  readonly endsWith: TextComparison;
  readonly icontains: CaselessComparison;
  readonly istartsWith: CaselessComparison;
  readonly isNull: Operator<'boolean', boolean>;
}

interface Operator<Kind extends OperandKind, Operand> {
  readonly operand: Kind;
  readonly toWhere: (column: string, operand: Operand) => Where;
}

interface Comparison extends Operator<'value', WhereValue | WhereColumn> {
  /** Its meaning, given how the column's value is ordered to the operand: negative, 0 or positive. */
  readonly holds: (order: number) => boolean;
}

/** An operator on columns of type text. */
interface TextComparison extends Operator<'text', string | WhereColumn> {
  /** Its meaning. */
  readonly holds: (text: string, part: string) => boolean;
}

/** An operator on columns of type text that ignores the case of letters. */
interface CaselessComparison extends Operator<'caseless', string> {
  /** Its meaning for texts whose case is folded. */
  readonly holds: (text: string, part: string) => boolean;
}

/** The name of an operator. */
export type WhereOperator = keyof WhereOperators;

/**
 * The operand of an operator: a value of the column's type, a text (whose case counts or not), a list of such values,
 * or true or false.
 */
export type OperandKind = keyof OperandTypes<unknown>;

interface OperandTypes<Value> {
  readonly value: Value;
  readonly text: string;
  readonly caseless: string;
  readonly values: readonly Value[];
  readonly boolean: boolean;
}

/** How a column compares with a value. */
export type ComparisonOperator = OperatorWith<'value'>;

/** The position of a text within another. */
export type TextOperator = OperatorWith<'text'>;

/** The position of a text within another, for any case of letters. */
export type CaselessOperator = OperatorWith<'caseless'>;

/** The names of all operators whose operand is of a kind. */
type OperatorWith<Kind extends OperandKind> = {
  [Name in WhereOperator]: WhereOperators[Name]['operand'] extends Kind ? Name : never;
}[WhereOperator];

/** Operators with their operands, for a column with values of this type: those that take operands of some kinds. */
export type WhereOperands<Value, Kind extends OperandKind = OperandKind> = {
  readonly [Name in OperatorWith<Kind>]?: OperandTypes<Value>[WhereOperators[Name]['operand']];
};

function join(type: 'and' | 'or', operands: readonly Where[]): Where {
  const decisive = type === 'or';
  const rest = new Set<Where>();
  for (const operand of operands) {
    if (operand.type !== 'constant') rest.add(operand);
    else if (operand.value === decisive) return operand;
  }
  const [only] = rest;
  if (!only) return decisive ? none : all;
  return rest.size === 1 ? only : { type, operands: [...rest] };
}
