// For packages that enforce rules themselves, such as `@x/entity`.
export { compileRule } from './rule/compile-rule.ts';
export type { RuleModel } from './rule/compile-rule.ts';
export { allowsAnonymous, foldPredicate, leafSubjects } from './rule/predicate.ts';
export type { Predicate, PredicateLeaf } from './rule/predicate.ts';
export { toWhere } from './rule/to-where.ts';
export type { WhereBinding } from './rule/to-where.ts';
export { evaluateRule, toRuleMeta } from './rule/evaluate-rule.ts';
export type { RuleDecision, RuleFacts } from './rule/evaluate-rule.ts';

// The names in a rule, and the result of its denial.
export { resourceTypeOf } from './definition/compile-access.ts';
export { toDenialCode } from './outcome/authorization-error.ts';
