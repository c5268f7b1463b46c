import type { HeldResources } from '../role-assignments.ts';

/** A value that a condition compares with; a moment is its milliseconds since 1970. Never NaN, never an infinity. */
export type WhereValue = string | number | boolean;

/** Another column of the same row, in the place of a value. */
export interface WhereColumn {
  readonly column: string;
}

/**
 * A condition on one row, as plain data: what a rule permits, or what a caller filters by.
 *
 * Its logic has three values, as that of SQL: a comparison with a column that is null is neither true nor false, `ne`
 * included, `not` of that is neither, and only a row of which the whole is true matches. Texts compare by code point and
 * case. `matches` is the reference of this meaning, and every engine agrees with it.
 *
 * A `column` is the name of a field of the model. It never comes from a caller: whoever builds a condition looks the
 * name up in the model.
 */
export type Where =
  /** True of every row, or of none. */
  | { readonly type: 'constant'; readonly value: boolean }
  /** Of no operands, `and` is true and `or` is false. */
  | { readonly type: 'and' | 'or'; readonly operands: readonly Where[] }
  | { readonly type: 'not'; readonly operand: Where }
  | {
      readonly type: 'compare';
      readonly column: string;
      readonly operator: ComparisonOperator;
      readonly value: WhereValue | WhereColumn;
    }
  /** The column equals one of the values; of none, it is false, for a null column too. */
  | { readonly type: 'in'; readonly column: string; readonly values: readonly WhereValue[] }
  /** The column has the text in it, literally: no character is a wildcard. */
  | {
      readonly type: 'text';
      readonly column: string;
      readonly operator: TextOperator;
      readonly value: string | WhereColumn;
    }
  /**
   * The column is the id of one of the resources on which a user holds a role; a null column is none, which is false. A
   * store answers it by itself, in the same query.
   */
  | { readonly type: 'held'; readonly column: string; readonly resources: HeldResources }
  /** The only condition that a null column decides. */
  | { readonly type: 'isNull'; readonly column: string };

/** How a column compares with a value. */
export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';

/** Where in a text another one stands. */
export type TextOperator = 'contains' | 'startsWith' | 'endsWith';
