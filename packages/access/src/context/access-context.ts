import type {
  AttachedAddOn,
  ConditionRow,
  LimitOverride,
  RelatedResource,
  Resource,
  WalletReceipt,
  Where,
} from '@x/store';
import type { AccessSet } from '../access-set/access-set.ts';
import type { AccessCheck, LimitUsage } from '../decision/access-check.ts';
import type { AccessModel, EntitlementName, EntityType, ModelResource } from '../definition/access-model.ts';
import type { RoleWay } from '../role/trace-roles.ts';
import type { ConsumeOptions, ConsumeResult } from './consume.ts';
import type { RoleFilter } from './filter.ts';

/** One of several questions that are asked together. */
export interface EntitlementCheck<Model extends AccessModel = AccessModel> {
  readonly entitlement: EntitlementName<Model>;
  readonly resource?: ModelResource<Model> | undefined;
  /** The record, for entitlements with rules. */
  readonly row?: ConditionRow | undefined;
}

/** Several questions on one record. Records that the same list is asked on are quicker to check. */
export interface RecordChecks<Model extends AccessModel = AccessModel> extends Omit<
  EntitlementCheck<Model>,
  'entitlement'
> {
  readonly entitlements: readonly EntitlementName<Model>[];
}

/** How an entitlement is consumed, and on which record. */
export interface UseOptions extends ConsumeOptions {
  readonly row?: ConditionRow;
}

/** Which consumption is taken back. */
export interface UnuseOptions {
  readonly receipt?: WalletReceipt;
  /** Without a receipt: a positive safe integer. Default 1. */
  readonly amount?: number;
}

/** Why an entitlement is held on a resource, or is not. */
export interface AccessTrace extends AccessCheck {
  readonly entitlement: string;
  /** Null where it was asked on nothing. */
  readonly resource: Resource | null;
  /** How the user comes to each role on the resource, the shortest ways first. */
  readonly ways: readonly TracedWay[];
  /** All that is above the resource, the nearest first. */
  readonly ancestors: readonly RelatedResource[];
  /** The entitlement's flags as they are for the tenant; null where one is not set. */
  readonly flags: Readonly<Record<string, boolean | null>>;
  /** What counts for the tenant; null where the entitlement needs no plan and has no limit, or there is no tenant. */
  readonly plans: TracedPlans | null;
  /** All limits that gate the entitlement, as they are now. */
  readonly limits: readonly LimitUsage[];
}

/** What counts for a tenant, and what would let an entitlement pass. */
export interface TracedPlans {
  readonly basePlans: readonly TracedPlan[];
  readonly addOns: readonly AttachedAddOn[];
  /** Add-ons that the tenant has, and that count for nothing next to its plans. */
  readonly incompatible: readonly string[];
  /** What the tenant is allowed at least of limits, by the names of these or of what they gate. */
  readonly overrides: readonly LimitOverride[];
  /** The plans and add-ons any of which is enough; null where none is needed. */
  readonly enough: readonly string[] | null;
}

/** The plan of one group. */
export interface TracedPlan {
  readonly group: string;
  readonly name: string;
  /** Whether it is the one of whoever has no other. */
  readonly isFallback: boolean;
}

/** How a user comes to one role. */
export interface TracedWay {
  /** From the assignment, hop by hop, down to the resource. */
  readonly steps: RoleWay;
  readonly role: string;
  /** Whether the role is enough for the entitlement. */
  readonly isEnough: boolean;
}

/**
 * What one user may do, for the duration of one request: nothing is read twice.
 *
 * Without a resource, an entitlement is checked on the user's current tenant. `row` is the record that the rules of an
 * entitlement are evaluated on; without one, an entitlement with rules is denied. Undefined entitlements, and callers who
 * are not signed in, are denied.
 */
export interface AccessContext<Model extends AccessModel = AccessModel> {
  /** Null for a caller who is not signed in. */
  readonly userId: string | null;

  /** Says whether the user has an entitlement, stopping at the first denial. If a store fails: false, and logged. */
  can(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<boolean>;

  /** Returns all reasons for a denial, the most actionable first. Throws what a store throws. */
  check(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<AccessCheck>;

  /** Throws `AuthorizationError` if the user does not have the entitlement, and what a store throws. */
  authorize(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<void>;

  /**
   * Consumes an entitlement if the user has it and enough is left of all its limits, and says whether it did. Consumes from
   * all limits or from none, and from none if another layer denies. If a store fails: false, and logged; it may have
   * consumed then, and with an idempotency key a retry is safe.
   *
   * @throws CodedError `VALIDATION_FAILED` if the amount is not a positive safe integer
   */
  canAndConsume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: UseOptions,
  ): Promise<boolean>;

  /**
   * Like {@link canAndConsume}, with the reasons and the receipt. Throws what a store throws, and `CONFLICT` if the key was
   * used with another amount.
   */
  consume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: UseOptions,
  ): Promise<ConsumeResult>;

  /**
   * Takes a consumption back, once, in the periods that it was consumed from: that of the receipt, or else the last one of
   * this context. Without either, it credits the current periods, never below 0. Says whether there was anything to take
   * back.
   */
  unconsume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: UnuseOptions,
  ): Promise<boolean>;

  /**
   * Answers up to 100 questions at once, by the {@link toCheckKey} of each. If a store fails: false, and logged.
   *
   * @throws CodedError `VALIDATION_FAILED` for more than 100, before anything is read
   */
  canAll(checks: readonly EntitlementCheck<Model>[]): Promise<ReadonlyMap<string, boolean>>;

  /**
   * Does {@link check} for any number of questions, in their order, with at most 5 store calls. Throws what a store throws.
   */
  checkAll(checks: readonly EntitlementCheck<Model>[]): Promise<readonly AccessCheck[]>;

  /**
   * Does {@link check} for several entitlements on each of many records, in their order and with at most 5 store calls: what a
   * page needs. Records on which all comes out the same may have one list. Throws what a store throws.
   */
  checkEach(checks: readonly RecordChecks<Model>[]): Promise<readonly (readonly AccessCheck[])[]>;

  /** Checks all entitlements in the user's current tenant, with at most 5 store calls. Throws what a store throws. */
  readAccessSet(): Promise<AccessSet>;

  /** Explains a decision: every way to every role, and the state of every layer. Throws what a store throws. */
  explain(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    row?: ConditionRow,
  ): Promise<AccessTrace>;

  /**
   * Builds the condition for lists of resources of a type: the rows on which the user has an entitlement. Flags, plans and
   * limits are checked for each tenant that the user has roles in; if no role is needed, for their current tenant. Throws
   * what a store throws.
   *
   * @param column - the column with the resource's id. Default `id`
   */
  filter(entitlement: EntitlementName<Model>, type: EntityType<Model>, column?: string): Promise<Where>;

  /**
   * Builds the part of {@link filter} that depends on roles, without reading anything: for the statement that writes a
   * record after {@link check}, so that a role that was revoked in between stops it.
   */
  filterByRole(entitlement: EntitlementName<Model>, type: EntityType<Model>, column?: string): RoleFilter;

  /** Builds the condition of the rows on which the user has one of the roles, inherited ones included. */
  filterByRoles(roles: readonly string[], type: EntityType<Model>, column?: string): Where;

  /** Says whether the user has one of the roles on a resource, inherited ones included. Throws what a store throws. */
  hasRole(roles: readonly string[], resource: ModelResource<Model>): Promise<boolean>;

  /** Says so of each of many resources, in their order and with one store call. Throws what a store throws. */
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
