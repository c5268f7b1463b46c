import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  all,
  and,
  type ComparisonOperator,
  eq,
  isNull,
  none,
  not,
  or,
  type TextOperator,
  type WhereOperands,
  whereOperators,
} from './where.ts';

const [first, second] = [eq('a', 1), eq('b', 2)];

describe('and', () => {
  it('joins its operands in the order given', () => {
    expect(and(first, second)).toEqual({ type: 'and', operands: [first, second] });
  });

  it('leaves out operands that are always true or repeated', () => {
    expect(and(first, all, second, first)).toEqual({ type: 'and', operands: [first, second] });
    expect(and(all, first, first)).toBe(first);
  });

  it('is none if one operand is none, and all without operands', () => {
    expect(and(first, none, second)).toBe(none);
    expect(and()).toBe(all);
    expect(and(all)).toBe(all);
  });
});

describe('or', () => {
  it('leaves out operands that are never true or repeated', () => {
    expect(or(first, none, second, second)).toEqual({ type: 'or', operands: [first, second] });
    expect(or(none, first)).toBe(first);
  });

  it('is all if one operand is all, and none without operands', () => {
    expect(or(first, all)).toBe(all);
    expect(or()).toBe(none);
  });
});

describe('the table of operators', () => {
  it('builds a condition with the operator of each comparison and search', () => {
    for (const [name, operator] of Object.entries(whereOperators)) {
      if (operator.operand === 'values' || operator.operand === 'boolean') continue;
      const type = operator.operand === 'value' ? 'compare' : operator.operand;
      expect(operator.toWhere('a', 'x')).toEqual({ type, column: 'a', operator: name, value: 'x' });
    }
  });

  it('builds the other conditions and their negations', () => {
    expect(whereOperators.in.toWhere('a', [1, 2])).toEqual({ type: 'in', column: 'a', values: [1, 2] });
    expect(whereOperators.notIn.toWhere('a', [1])).toEqual(not({ type: 'in', column: 'a', values: [1] }));
    expect(whereOperators.isNull.toWhere('a', true)).toEqual(isNull('a'));
    expect(whereOperators.isNull.toWhere('a', false)).toEqual(not(isNull('a')));
  });

  it('infers the types of operators and operands', () => {
    expectTypeOf<ComparisonOperator>().toEqualTypeOf<'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'>();
    expectTypeOf<TextOperator>().toEqualTypeOf<'contains' | 'startsWith' | 'endsWith'>();
    expectTypeOf<WhereOperands<number, 'values' | 'boolean'>>().toEqualTypeOf<{
      readonly in?: readonly number[];
      readonly notIn?: readonly number[];
      readonly isNull?: boolean;
    }>();
  });
});
