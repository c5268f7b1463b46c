export { matches } from './where/matches.ts';
export type { ConditionRow, IsGranted, MatchContext } from './where/matches.ts';
export {
  all,
  and,
  contains,
  endsWith,
  eq,
  granted,
  gt,
  gte,
  isIn,
  isNull,
  lt,
  lte,
  ne,
  none,
  not,
  or,
  startsWith,
  whereOperators,
} from './where/where.ts';
export type {
  ComparisonOperator,
  OperandKind,
  TextOperator,
  Where,
  WhereColumn,
  WhereOperands,
  WhereOperator,
  WhereOperators,
  WhereValue,
} from './where/where.ts';
