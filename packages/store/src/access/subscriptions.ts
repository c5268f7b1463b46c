/** The base plan that a tenant has in one group of plans. */
export interface SubscriptionRecord {
  readonly group: string;
  readonly planName: string;
  /** Where the periods of the plan's limits are counted from. */
  readonly startedAt: Date;
  /** From this moment on, the plan has expired; null if it does not expire. */
  readonly expiresAt: Date | null;
}

/** An add-on that a tenant has. */
export interface AttachedAddOn {
  readonly name: string;
  /** How many times its limits are added, 1 or more. */
  readonly quantity: number;
}

/** A minimum for a limit of a tenant, whatever its plan says. */
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
   * Gives a tenant a plan, replacing the one it had in the group. Its add-ons and overrides stay.
   *
   * @param startedAt - default: now, which starts new periods; pass the start of the previous plan to keep its periods
   * @param expiresAt - default: never
   */
  assign(
    tenantId: string,
    planName: string,
    group: string,
    startedAt?: Date,
    expiresAt?: Date | null,
  ): Promise<SubscriptionRecord>;

  /**
   * Raises the limits of a tenant: sets each override to the greater of its old and new `max`, where -1 is the
   * greatest.
   *
   * @param overrides - by name; each `max` is -1 or a positive safe integer
   * @throws TypeError for any other `max`, and nothing is changed
   */
  updateOverrides(tenantId: string, overrides: Readonly<Record<string, { readonly max: number }>>): Promise<void>;

  /**
   * Attaches an add-on in a quantity, which replaces the previous quantity.
   *
   * @param quantity - a positive safe integer, 1 by default
   * @throws TypeError for any other quantity
   */
  attach(tenantId: string, addOn: string, quantity?: number): Promise<void>;

  /** Detaches an add-on, whatever its quantity, and says whether the tenant had it. */
  detach(tenantId: string, addOn: string): Promise<boolean>;

  /** Removes a tenant's plans of all groups, its add-ons and its overrides. */
  remove(tenantId: string): Promise<void>;

  /** Reads all subscriptions of one tenant; empty lists if it has none. */
  read(tenantId: string): Promise<TenantPlans>;

  /** Reads all subscriptions of many tenants in one query, in their order. */
  readMany(tenantIds: readonly string[]): Promise<readonly TenantPlans[]>;
}
