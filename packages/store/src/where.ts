export { caseVariants, foldCase } from './where/fold-case.ts';
export { matches } from './where/matches.ts';
export type { ConditionRow, IsGranted, MatchContext, RelatedRow } from './where/matches.ts';
export {
  all,
  and,
  contains,
  endsWith,
  eq,
  granted,
  gt,
  gte,
  icontains,
  isIn,
  isNull,
  istartsWith,
  lt,
  lte,
  ne,
  none,
  not,
  or,
  related,
  startsWith,
  whereOperators,
} from './where/where.ts';
export type {
  CaselessOperator,
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
