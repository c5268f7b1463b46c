/** The base plan that a tenant has in one group of plans. */
export interface SubscriptionRecord {
  readonly group: string;
  readonly planName: string;
  /** What the periods of the plan's limits are counted from. */
  readonly startedAt: Date;
  /** The plan is over at this very moment; null where it goes on. */
  readonly expiresAt: Date | null;
}

/** An add-on that a tenant has. */
export interface AttachedAddOn {
  readonly name: string;
  /** How many times over its limits count, 1 or more. */
  readonly quantity: number;
}

/** The least that a tenant is allowed of a limit, whatever its plan says. */
export interface LimitOverride {
  /** The name of a limit, or of an entitlement for all limits that gate it. */
  readonly name: string;
  /** -1 is unlimited. */
  readonly max: number;
}

/** All that a tenant is subscribed to. Lists are in no particular order. */
export interface TenantPlans {
  readonly tenantId: string;
  /** One for each group at most. */
  readonly subscriptions: readonly SubscriptionRecord[];
  readonly addOns: readonly AttachedAddOn[];
  readonly overrides: readonly LimitOverride[];
}

/**
 * Which plans, add-ons and overrides each tenant has. Names are any texts: what they mean is up to the access definition,
 * and nothing here has to exist elsewhere. Every method is one atomic step.
 */
export interface SubscriptionStore {
  /**
   * Gives a tenant a plan in the place of the one that it had in the group. Its add-ons and overrides stay.
   *
   * @param startedAt - now by default, which starts new periods; that of the plan before keeps them
   * @param expiresAt - never by default
   */
  assign(
    tenantId: string,
    planName: string,
    group: string,
    startedAt?: Date,
    expiresAt?: Date | null,
  ): Promise<SubscriptionRecord>;

  /**
   * Raises what a tenant is allowed: each of the overrides to the greater of its old and its new `max`, -1 being the
   * greatest.
   *
   * @param overrides - by name; each `max` is -1 or a positive safe integer
   * @throws TypeError for any other `max`, and nothing is changed
   */
  updateOverrides(tenantId: string, overrides: Readonly<Record<string, { readonly max: number }>>): Promise<void>;

  /**
   * Attaches an add-on in a quantity, in the place of the quantity before.
   *
   * @param quantity - a positive safe integer, 1 by default
   * @throws TypeError for any other quantity
   */
  attach(tenantId: string, addOn: string, quantity?: number): Promise<void>;

  /** Takes an add-on away in whatever quantity, and says whether the tenant had it. */
  detach(tenantId: string, addOn: string): Promise<boolean>;

  /** Removes a tenant's plans of all groups, its add-ons and its overrides. */
  remove(tenantId: string): Promise<void>;

  /** Reads all of one tenant; of one that nothing is known of, empty lists. */
  read(tenantId: string): Promise<TenantPlans>;

  /** Reads all of many tenants in one query, in their order. */
  readMany(tenantIds: readonly string[]): Promise<readonly TenantPlans[]>;
}
