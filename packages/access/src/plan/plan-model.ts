import type { PeriodName } from './limit-period.ts';

/** How often an entitlement may be used. */
export interface LimitModel {
  /** The entitlement whose use is limited. */
  readonly gates: string;
  /** Without it, the limit never resets. */
  readonly per?: PeriodName;
  /** -1 is unlimited, 0 is never. */
  readonly max: number;
}

/** A plan that belongs to a group; a tenant has one plan in each group. */
export interface BasePlanModel {
  /** Default: `base`. */
  readonly group?: string;
  /** Names of entitlements. */
  readonly features?: readonly string[];
  /** By name. An entitlement without a limit here is unlimited. */
  readonly limits?: Readonly<Record<string, LimitModel>>;
  readonly addOn?: false;
}

/** The group of base plans that name none. */
export const defaultGroup = 'base';

/** Something that a tenant can have in addition to its plans, in any quantity. */
export interface AddOnModel {
  readonly addOn: true;
  readonly features?: readonly string[];
  /** The amounts that each unit adds to the limits of the same names. */
  readonly limits?: Readonly<Record<string, LimitModel>>;
  /** The tenant's plan in a group has to be one of these. Without it, any plan will do. */
  readonly requires?: { readonly group: string; readonly plans: readonly string[] };
}

/** Either kind of plan. */
export type PlanModel = BasePlanModel | AddOnModel;

/** The plans and add-ons that an app offers. */
export interface PlanCatalogModel {
  readonly plans: Readonly<Record<string, PlanModel>>;
  /** The base plan of tenants whose group has no current plan. Default: `free`, if there is one. */
  readonly defaultPlan?: string;
}
