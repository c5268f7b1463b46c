import type { AttachedAddOn, LimitOverride, RelatedResource, Resource, WalletReceipt } from '@x/store';
import type { ConditionRow, Where } from '@x/store/where';
import type { AccessSet } from '../access-set/access-set.ts';
import type { AccessCheck, LimitUsage } from '../decision/access-check.ts';
import type { AccessModel, EntitlementName, EntityType, ModelResource } from '../definition/access-model.ts';
import type { RolePath } from '../role/trace-roles.ts';
import type { ConsumeOptions, ConsumeResult } from './consume.ts';
import type { RoleFilter } from './filter.ts';

/** One of several questions asked together. */
export interface EntitlementCheck<Model extends AccessModel = AccessModel> {
  readonly entitlement: EntitlementName<Model>;
  readonly resource?: ModelResource<Model> | undefined;
  /** The record, for entitlements with rules. */
  readonly row?: ConditionRow | undefined;
}

/** Several questions about one record. Records that share the same array of entitlements are checked faster. */
export interface RecordChecks<Model extends AccessModel = AccessModel> extends Omit<
  EntitlementCheck<Model>,
  'entitlement'
> {
  readonly entitlements: readonly EntitlementName<Model>[];
}

/** Which consumption to take back. */
export interface UnconsumeOptions {
  readonly receipt?: WalletReceipt;
  /** Without a receipt: a positive safe integer. Default 1. */
  readonly amount?: number;
}

/** Why an entitlement is held or denied on a resource. */
export interface AccessTrace extends AccessCheck {
  readonly entitlement: string;
  /** Null if no resource was asked about. */
  readonly resource: Resource | null;
  /** How the user gets each role on the resource, the shortest paths first. */
  readonly rolePaths: readonly TracedRolePath[];
  /** Everything above the resource, the nearest first. */
  readonly ancestors: readonly RelatedResource[];
  /** The entitlement's flags for the tenant; null for a flag that is not set. */
  readonly flags: Readonly<Record<string, boolean | null>>;
  /**
   * The plans that apply to the tenant; null if the entitlement needs no plan and has no limit, or there is no tenant.
   */
  readonly plans: TracedPlans | null;
  /** The current state of all limits that gate the entitlement. */
  readonly limits: readonly LimitUsage[];
}

/** The plans that apply to a tenant, and those that would include an entitlement. */
export interface TracedPlans {
  readonly basePlans: readonly TracedPlan[];
  readonly addOns: readonly AttachedAddOn[];
  /** The tenant's add-ons that do not count, because they do not fit its plans. */
  readonly incompatible: readonly string[];
  /** The tenant's overrides, by the names of limits or of the entitlements that they gate. */
  readonly overrides: readonly LimitOverride[];
  /** The plans and add-ons of which any one is enough; null if none is needed. */
  readonly enough: readonly string[] | null;
}

/** The plan of one group. */
export interface TracedPlan {
  readonly group: string;
  readonly name: string;
  /** Whether it is the fallback, because the tenant has no other plan in the group. */
  readonly isFallback: boolean;
}

/** One way in which a user gets a role. */
export interface TracedRolePath {
  /** From the assignment, hop by hop, down to the resource. */
  readonly steps: RolePath;
  readonly role: string;
  /** Whether the role is enough for the entitlement. */
  readonly isEnough: boolean;
}

/**
 * What one user may do, for the duration of one request: nothing is read twice.
 *
 * Without a resource, an entitlement is checked on the user's current tenant. `row` is the record that the rules of an
 * entitlement are evaluated on; without one, an entitlement with rules is denied. Undefined entitlements are denied,
 * and so are callers who are not signed in.
 */
export interface AccessContext<Model extends AccessModel = AccessModel> {
  /** Null if the caller is not signed in. */
  readonly userId: string | null;

  /** Says whether the user has an entitlement, stopping at the first denial. If a store fails: false, and logged. */
  can(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<boolean>;

  /** Returns all reasons for a denial, the most actionable first. Throws if a store does. */
  check(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<AccessCheck>;

  /** Throws `AuthorizationError` if the user does not have the entitlement. Also throws if a store does. */
  authorize(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<void>;

  /**
   * Consumes an entitlement if the user has it and enough is left of all its limits, and says whether it did. Consumes
   * from all limits or from none, and from none if another layer denies. If a store fails: false, and logged; it may
   * have been consumed nevertheless, so pass an idempotency key to retry safely.
   *
   * @throws CodedError `VALIDATION_FAILED` if the amount is not a positive safe integer
   */
  canAndConsume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: ConsumeOptions,
  ): Promise<boolean>;

  /**
   * Like {@link canAndConsume}, but returns the reasons and a receipt. Throws if a store does, and `CONFLICT` if the
   * key was used with another amount.
   */
  consume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: ConsumeOptions,
  ): Promise<ConsumeResult>;

  /**
   * Takes a consumption back, once, from the periods it was consumed in: that of the receipt, or else the last one of
   * this context. Without either, it credits the current periods, but never below 0. Says whether there was anything to
   * take back.
   */
  unconsume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: UnconsumeOptions,
  ): Promise<boolean>;

  /**
   * Answers up to 100 questions at once, each under its {@link toCheckKey}. If a store fails: false for all, and
   * logged.
   *
   * @throws CodedError `VALIDATION_FAILED` for more than 100, before anything is read
   */
  canAll(checks: readonly EntitlementCheck<Model>[]): Promise<ReadonlyMap<string, boolean>>;

  /**
   * Does {@link check} for any number of questions, in their order, with at most 5 store calls. Throws if a store does.
   */
  checkAll(checks: readonly EntitlementCheck<Model>[]): Promise<readonly AccessCheck[]>;

  /**
   * Does {@link check} for several entitlements on each of many records, such as a page of a list, in their order and
   * with at most 5 store calls. Records with the same outcome may share one array. Throws if a store does.
   */
  checkEach(checks: readonly RecordChecks<Model>[]): Promise<readonly (readonly AccessCheck[])[]>;

  /** Checks all entitlements in the user's current tenant, with at most 5 store calls. Throws if a store does. */
  readAccessSet(): Promise<AccessSet>;

  /** Explains a decision: every way to every role, and the state of every layer. Throws if a store does. */
  explain(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    row?: ConditionRow,
  ): Promise<AccessTrace>;

  /**
   * Builds the condition for lists of resources of a type: the rows on which the user has an entitlement. Flags, plans
   * and limits are checked for each tenant that the user has roles in; if no role is needed, for their current tenant.
   * Throws if a store does.
   *
   * @param column - the column with the resource's id. Default `id`
   */
  filter(entitlement: EntitlementName<Model>, type: EntityType<Model>, column?: string): Promise<Where>;

  /**
   * Builds the part of {@link filter} that depends on roles, without reading anything. Add it to the statement that
   * writes a record after {@link check}, so that a role revoked in between still prevents the write.
   */
  filterByRole(entitlement: EntitlementName<Model>, type: EntityType<Model>, column?: string): RoleFilter;

  /** Builds the condition of the rows on which the user has one of the roles, inherited ones included. */
  filterByRoles(roles: readonly string[], type: EntityType<Model>, column?: string): Where;

  /** Says whether the user has one of the roles on a resource, inherited ones included. Throws if a store does. */
  hasRole(roles: readonly string[], resource: ModelResource<Model>): Promise<boolean>;

  /** Does {@link hasRole} for many resources, in their order, with one store call. Throws if a store does. */
  hasRoleOnEach(roles: readonly string[], resources: readonly ModelResource<Model>[]): Promise<readonly boolean[]>;
}

/** Returns the key of a question in the result of {@link AccessContext.canAll}. */
export function toCheckKey({
  entitlement,
  resource,
}: {
  readonly entitlement: string;
  readonly resource?: Resource | undefined;
}): string {
  return JSON.stringify(resource ? [entitlement, resource.type, resource.id] : [entitlement]);
}
