export { caseVariants, foldCase } from './where/fold-case.ts';
export { isPosition } from './where/json-path.ts';
export { matches } from './where/matches.ts';
export type { ConditionRow, IsGranted, MatchContext, RelatedRow } from './where/matches.ts';
export {
  all,
  and,
  atPath,
  contains,
  endsWith,
  eq,
  findGranted,
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
  valueAtPath,
  whereOperators,
} from './where/where.ts';
export type {
  CaselessOperator,
  ComparisonOperator,
  GrantedWhere,
  JsonType,
  OperandKind,
  TextOperator,
  Where,
  WhereColumn,
  WhereOperands,
  WhereOperator,
  WhereOperators,
  WhereValue,
} from './where/where.ts';
