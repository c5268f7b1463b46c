/** How often a limit starts anew, counted from when the plan started; `day` and `hour` are fixed lengths. */
export type LimitPeriod = 'hour' | 'day' | 'month' | 'quarter' | 'year';

/** How often something may be done. */
export interface LimitModel {
  /** The entitlement that is used up. */
  readonly gates: string;
  /** Without one, what was consumed stays so for as long as the tenant lives. */
  readonly per?: LimitPeriod;
  /** -1 is unlimited, 0 is never. */
  readonly max: number;
}

/** A plan of which a tenant has one in its group. */
export interface BasePlanModel {
  readonly group: string;
  /** Names of entitlements. */
  readonly features: readonly string[];
  /** By name. What is not limited here is not limited at all. */
  readonly limits?: Readonly<Record<string, LimitModel>>;
  readonly addOn?: false;
}

/** What a tenant may have besides its plans, more than once. */
export interface AddOnModel {
  readonly addOn: true;
  readonly features?: readonly string[];
  /** What it adds to limits of the same names, each time. */
  readonly limits?: Readonly<Record<string, LimitModel>>;
  /** The tenant's plan in a group has to be one of these; without it, whatever plan there is. */
  readonly requires?: { readonly group: string; readonly plans: readonly string[] };
}

/** Either kind of plan. */
export type PlanModel = BasePlanModel | AddOnModel;

/** What an app sells. */
export interface PlanCatalogModel {
  readonly plans: Readonly<Record<string, PlanModel>>;
  /** The base plan of whoever has none, or none any more, in its group; `free` by default, if there is one. */
  readonly defaultPlan?: string;
}
