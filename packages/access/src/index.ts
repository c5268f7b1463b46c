export { defineAccess } from './definition/define-access.ts';
export type { AccessDefinition } from './definition/define-access.ts';
export type {
  AccessModel,
  AddOnName,
  BasePlanName,
  EntitlementModel,
  EntitlementName,
  EntityModel,
  EntityRole,
  EntityType,
  ModelResource,
  PlanName,
} from './definition/access-model.ts';

export type {
  AddOnModel,
  BasePlanModel,
  LimitModel,
  LimitPeriod,
  PlanCatalogModel,
  PlanModel,
} from './plan/plan-model.ts';
export { hashAccessSet } from './access-set/hash-access-set.ts';

export { computeAccessSet } from './context/compute-access-set.ts';
export type { AccessSetOptions } from './context/compute-access-set.ts';
export { computeEntityAccess } from './context/compute-entity-access.ts';
export type { EntityAccess, RecordResource } from './context/compute-entity-access.ts';
export { createAccessContext } from './context/create-access-context.ts';
export type { AccessContextOptions } from './context/create-access-context.ts';
export { toCheckKey } from './context/access-context.ts';
export type {
  AccessContext,
  AccessTrace,
  EntitlementCheck,
  RecordChecks,
  TracedPlan,
  TracedPlans,
  TracedRolePath,
  UnconsumeOptions,
} from './context/access-context.ts';
export type { ConsumeOptions, ConsumeResult } from './context/consume.ts';
export type { AccessStores, OrgLookup, OrgResolver } from './context/access-sources.ts';
export type { RoleStep, RolePath } from './role/trace-roles.ts';

export type { AccessCheck, AccessMeta, LimitUsage } from './decision/access-check.ts';
export { AuthorizationError } from './decision/authorization-error.ts';
export type { DenialReason } from './decision/denial-reason.ts';

export { rules } from './rule/rules.ts';
export type { Rules } from './rule/rules.ts';
export type { Placeholder, Rule, RuleConditions, RuleValue } from './rule/rule.ts';
export { compileRule } from './rule/compile-rule.ts';
export type { RuleModel } from './rule/compile-rule.ts';
export { findMaxAge } from './rule/find-max-age.ts';
export { allowsAnonymous, foldPredicate } from './rule/predicate.ts';
export type { Predicate, PredicateLeaf } from './rule/predicate.ts';
export { anonymous } from './rule/rule-caller.ts';
export type { RuleCaller } from './rule/rule-caller.ts';
export { toWhere } from './rule/to-where.ts';
export type { WhereBinding } from './rule/to-where.ts';
export { evaluateRule } from './rule/evaluate-rule.ts';
export type { RuleFacts, RuleDecision } from './rule/evaluate-rule.ts';
export { describeRule } from './rule/describe-rule.ts';

export { createAccessAdmin } from './administration/create-access-admin.ts';
export type { AccessAdmin, AccessAdminOptions, RoleGrant } from './administration/create-access-admin.ts';
export type { Operator } from './administration/admin-event.ts';
export type {
  LimitOverrides,
  PlanAdmin,
  PlanChange,
  PlanOperator,
  PlanTerms,
} from './administration/create-plan-admin.ts';
