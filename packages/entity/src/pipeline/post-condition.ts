import { type EntityValues, matches, type Where } from '@x/store';

/**
 * Converts a condition on a row as it will be to one on the row as it is: what is said of a column that changes is decided
 * by its new value, and the rest is left to the statement, which sees the row at the very moment of the change. A condition
 * that no change touches is returned itself.
 */
export function toPostCondition(where: Where, values: EntityValues): Where {
  switch (where.type) {
    case 'constant':
      return where;
    case 'and':
    case 'or':
      return combine(
        where,
        where.operands.map((operand) => toPostCondition(operand, values)),
      );
    case 'not':
      return { type: 'not', operand: toPostCondition(where.operand, values) };
    // Which resources a caller holds can't be told here: whoever changes such a column judges the new row before.
    case 'held':
      return Object.hasOwn(values, where.column) ? { type: 'constant', value: true } : where;
    default:
      return Object.hasOwn(values, where.column) ? { type: 'constant', value: matches(where, values) } : where;
  }
}

function combine(where: Extract<Where, { readonly type: 'and' | 'or' }>, operands: readonly Where[]): Where {
  const isUntouched = operands.every((operand, index) => operand === where.operands[index]);
  return isUntouched ? where : { type: where.type, operands };
}
