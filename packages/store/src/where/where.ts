import type { GrantedResources } from '../role-assignments.ts';

/** A value that a condition compares with; dates are milliseconds since 1970. Never NaN or infinite. */
export type WhereValue = string | number | boolean;

/** Another column of the same row, in place of a value. */
export interface WhereColumn {
  readonly column: string;
}

/**
 * A condition on one row, as plain data: what a rule permits, or what a caller filters by.
 *
 * It has three-valued logic like SQL: any comparison with a null column, including `ne`, is neither true nor false, and
 * so is its `not`. A row matches only if the whole condition is true. Texts compare by code point, case-sensitively.
 * `matches` is the reference implementation, and every engine agrees with it.
 *
 * A `column` is the name of a field of the model. It never comes from a caller directly: whoever builds a condition
 * looks the name up in the model.
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
  /**
   * The column is the id of a resource on which a user holds one of the roles; false for a null column. A store answers
   * it in the same query.
   */
  | { readonly type: 'granted'; readonly column: string; readonly resources: GrantedResources }
  /** The only condition that is true for a null column. */
  | { readonly type: 'isNull'; readonly column: string };

/** How a column compares with a value. */
export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';

/** The position of a text within another. */
export type TextOperator = 'contains' | 'startsWith' | 'endsWith';
