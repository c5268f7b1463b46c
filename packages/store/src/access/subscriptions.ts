import type { Cause } from '../events.ts';

/** The base plan that a tenant has in one group of plans. */
export interface SubscriptionRecord {
  readonly group: string;
  readonly planName: string;
  /** Where the periods of the plan's limits are counted from. */
  readonly startedAt: Date;
  /** From this moment on, the plan has expired; null if it does not expire. */
  readonly expiresAt: Date | null;
}

/** A plan to give to a tenant. */
export interface NewSubscription {
  readonly tenantId: string;
  readonly group: string;
  readonly planName: string;
  /** Default: now, which starts new periods; pass the start of the previous plan to keep its periods. */
  readonly startedAt?: Date;
  /** Default: never. */
  readonly expiresAt?: Date | null;
}

/** An add-on of a tenant. */
export interface TenantAddOn {
  readonly tenantId: string;
  readonly addOn: string;
}

/** An add-on that a tenant has. */
export interface AttachedAddOn {
  readonly name: string;
  /** How many times its limits are added, 1 or more. */
  readonly quantity: number;
}

/** A minimum for a limit of a tenant, with any plan. */
export interface LimitOverride {
  /** The name of a limit, or of an entitlement for all limits that gate it. */
  readonly name: string;
  /** -1 is unlimited. */
  readonly max: number;
}

/** All subscriptions of a tenant. Lists are in no particular order. */
export interface TenantPlans {
  readonly tenantId: string;
  /** At most one for each group. */
  readonly subscriptions: readonly SubscriptionRecord[];
  readonly addOns: readonly AttachedAddOn[];
  readonly overrides: readonly LimitOverride[];
}

/**
 * Which plans, add-ons and overrides each tenant has. Names are arbitrary texts: the access definition gives them
 * meaning, and they need not exist elsewhere. Every method is one atomic step.
 */
export interface SubscriptionStore {
  /**
   * Gives a tenant a plan instead of its one in the group, and logs `plan.assigned`. Its add-ons and overrides stay.
   */
  assign(subscription: NewSubscription, cause?: Cause): Promise<SubscriptionRecord>;

  /**
   * Raises the limits of a tenant: sets each override to the greater of its old and new `max`, where -1 is the
   * greatest. Logs `limits.raised`.
   *
   * @param overrides - by name; each `max` is -1 or a positive safe integer
   * @throws TypeError for any other `max`, and nothing is changed
   */
  updateOverrides(
    tenantId: string,
    overrides: Readonly<Record<string, { readonly max: number }>>,
    cause?: Cause,
  ): Promise<void>;

  /**
   * Attaches an add-on in a quantity, which replaces the previous quantity, and logs `add_on.attached`.
   *
   * @throws TypeError for a quantity that is no positive safe integer
   */
  attach(addOn: TenantAddOn & { readonly quantity?: number }, cause?: Cause): Promise<void>;

  /** Detaches an add-on, with all its units, and says whether the tenant had it. Logs `add_on.detached`. */
  detach(addOn: TenantAddOn, cause?: Cause): Promise<boolean>;

  /** Removes a tenant's plans of all groups, its add-ons and its overrides, and logs `plan.removed` if it had any. */
  remove(tenantId: string, cause?: Cause): Promise<void>;

  /** Reads all subscriptions of one tenant; empty lists if it has none. */
  read(tenantId: string): Promise<TenantPlans>;

  /** Reads all subscriptions of many tenants in one query, in their order. */
  readMany(tenantIds: readonly string[]): Promise<readonly TenantPlans[]>;
}
