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

/** One of many questions that are asked at once. */
export interface EntitlementCheck<Model extends AccessModel = AccessModel> {
  readonly entitlement: EntitlementName<Model>;
  readonly resource?: ModelResource<Model>;
  /** The record at hand, if one is. */
  readonly row?: ConditionRow;
}

/** How an entitlement is used, and on which record. */
export interface UseOptions extends ConsumeOptions {
  readonly row?: ConditionRow;
}

/** What is taken back. */
export interface UnuseOptions {
  readonly receipt?: WalletReceipt;
  /** Where there is no receipt: a positive safe integer, 1 by default. */
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
 * What one user may do, for the length of one request: what was read is not read again.
 *
 * An entitlement that is asked on no resource is asked on the tenant that the user is at work in. `row` is the record at
 * hand, for the rules of an entitlement; without one, an entitlement with rules is denied. What is not defined, and
 * whoever is not signed in, is denied.
 */
export interface AccessContext<Model extends AccessModel = AccessModel> {
  /** Null for a caller who is not signed in. */
  readonly userId: string | null;

  /** Says whether an entitlement is held, and stops asking at the first denial. What can't be read is false, and logged. */
  can(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<boolean>;

  /** Finds all that stands in the way. Throws what a store throws. */
  check(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<AccessCheck>;

  /** Throws `AuthorizationError` where an entitlement is not held, and what a store throws. */
  authorize(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<void>;

  /**
   * Consumes an entitlement once, where it is held and there is enough left of all limits that gate it, and says whether it
   * did: from all of them or from none, and from none where another layer is in the way. What can't be decided is false, and
   * logged; it may have been consumed then, which an idempotency key makes good.
   *
   * @throws CodedError `VALIDATION_FAILED` for an amount that is no positive safe integer
   */
  canAndConsume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: UseOptions,
  ): Promise<boolean>;

  /** The same, telling what is in the way, and the receipt. Throws what a store throws, `CONFLICT` for a key of another amount. */
  consume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: UseOptions,
  ): Promise<ConsumeResult>;

  /**
   * Takes a use back: that of the receipt, or else the last one of this context, in the periods that it was consumed in and
   * once. Where there is neither, it credits the current periods, none below 0. Says whether anything was to be taken back.
   */
  unconsume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: UnuseOptions,
  ): Promise<boolean>;

  /**
   * Answers up to 100 questions at once, by the key that {@link toCheckKey} makes of each. What can't be read is false,
   * and logged.
   *
   * @throws CodedError `VALIDATION_FAILED` for more than 100, before anything is read
   */
  canAll(checks: readonly EntitlementCheck<Model>[]): Promise<ReadonlyMap<string, boolean>>;

  /**
   * Finds all that stands in the way of each of many entitlements, in their order, with 4 store calls at most. Throws what
   * a store throws.
   */
  checkAll(checks: readonly EntitlementCheck<Model>[]): Promise<readonly AccessCheck[]>;

  /** Checks all entitlements in the tenant that the user is at work in, with 4 store calls at most. Throws what a store throws. */
  readAccessSet(): Promise<AccessSet>;

  /** Tells why an entitlement is held or not: every way to every role, and what each layer says. Throws what a store throws. */
  explain(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    row?: ConditionRow,
  ): Promise<AccessTrace>;

  /**
   * Builds the condition of the rows of resources of a type on which an entitlement is held, for lists. What flags,
   * plans and limits say is asked of each tenant that the user holds roles in; where no role is needed, of the one that they
   * are at work in. Throws what a store throws.
   *
   * @param column - holds the resource's id; `id` by default
   */
  filter(entitlement: EntitlementName<Model>, type: EntityType<Model>, column?: string): Promise<Where>;

  /**
   * Builds the part of {@link filter} that roles decide, without reading anything: for a statement that writes a record
   * which {@link check} has passed, so that a role that is taken away meanwhile stops it.
   */
  filterByRole(entitlement: EntitlementName<Model>, type: EntityType<Model>, column?: string): RoleFilter;

  /** Builds the condition of the rows of resources on which the user has one of the roles, inherited ones included. */
  filterByRoles(roles: readonly string[], type: EntityType<Model>, column?: string): Where;

  /** Says whether the user has one of the roles on a resource, inherited ones included. Throws what a store throws. */
  hasRole(roles: readonly string[], resource: ModelResource<Model>): Promise<boolean>;

  /** Says so of each of many resources, in their order and with one store call. Throws what a store throws. */
  hasRoleOnEach(roles: readonly string[], resources: readonly ModelResource<Model>[]): Promise<readonly boolean[]>;
}

/** Makes the key of one question's answer in what {@link AccessContext.canAll} returns. */
export function toCheckKey({
  entitlement,
  resource,
}: {
  readonly entitlement: string;
  readonly resource?: Resource | undefined;
}): string {
  return JSON.stringify(resource ? [entitlement, resource.type, resource.id] : [entitlement]);
}
