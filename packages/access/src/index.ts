// Declarations of an app.
export { defineAccess } from './definition/define-access.ts';
export type { AccessDefinition } from './definition/define-access.ts';
export type { AccessModel, EntitlementName, EntityRole, EntityType } from './definition/access-model.ts';

// The access of one user.
export { createAccessContext } from './context/access-context.ts';
export { createAccessContextFactory } from './context/access-context-factory.ts';
export type { AccessContext, AccessContextOptions, RecordAccess } from './context/access-context.ts';
export type { EntitlementCheck, RecordChecks } from './context/access-context.ts';
export type {
  AccessContextFactory,
  AccessContextFactoryOptions,
  CallerOrgLookup,
  CallerOrgResolver,
} from './context/access-context-factory.ts';
export type { Decisions } from './decision/can.ts';
export type { ConsumeOptions, ConsumeResult, UnconsumeOptions } from './context/consume.ts';
export type { AccessTrace } from './context/explain.ts';
export type { FilteredRows, RoleFilter } from './context/filter.ts';
export type { AccessPageOptions, FoundResource, FoundUser, LookupOptions } from './context/lookup.ts';
export type { RolePath, RoleStep } from './context/role-paths.ts';
export { AuthorizationError } from './outcome/authorization-error.ts';
export type { AccessCheck, AccessMeta, DenialReason, LimitUsage } from './outcome/access-check.ts';
export type { AccessStores, OrgLookup, OrgResolver } from './reads/access-reads.ts';

// The same, for clients to display.
export { computeAccessSet } from './context/compute-access-set.ts';
export type { AccessSetOptions } from './context/compute-access-set.ts';
export { computeEntityAccess } from './context/compute-entity-access.ts';
export type { EntityAccess, RecordResource } from './context/compute-entity-access.ts';
export { hashAccessSet } from './access-set/hash-access-set.ts';

// Rules on records, and whom they are evaluated for.
export { anonymous, rules } from './rule/rules.ts';
export type { Rule, RuleCaller, RuleConditions, Rules } from './rule/rules.ts';

// Changes of roles, groups, the hierarchy and plans.
export { createAccessAdmin } from './admin/create-access-admin.ts';
export type { AccessAdmin, AccessAdminOptions, RoleGrant } from './admin/create-access-admin.ts';
export type { GroupAdmin, GroupMembership, GroupOperator, Holder } from './admin/create-group-admin.ts';
export type { LimitOverrides, PlanChange, PlanOperator, PlanTerms } from './admin/create-plan-admin.ts';
export type { Operator } from './admin/admin-change.ts';
