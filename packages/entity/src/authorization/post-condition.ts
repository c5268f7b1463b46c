import type { EntityValues } from '@x/store';
import { all, matches, not, type Where } from '@x/store/where';

/**
 * Converts a condition on the row after a change to one on the row before it: conditions on changed columns are decided
 * by their new values, and the rest is left to the statement, which sees the row at the very moment of the change. A
 * condition that no change touches is returned as it is.
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
      return not(toPostCondition(where.operand, values));
    // Which resources a caller holds is not known here; changes of such a column are judged on the new row beforehand.
    case 'granted':
      return Object.hasOwn(values, where.column) ? all : where;
    default:
      return Object.hasOwn(values, where.column) ? { type: 'constant', value: matches(where, values) } : where;
  }
}

function combine(where: Extract<Where, { readonly type: 'and' | 'or' }>, operands: readonly Where[]): Where {
  const isUntouched = operands.every((operand, index) => operand === where.operands[index]);
  return isUntouched ? where : { type: where.type, operands };
}
