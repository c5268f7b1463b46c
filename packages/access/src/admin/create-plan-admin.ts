import { CodedError } from '@x/errors';
import type { TenantPlans, TransactionStores } from '@x/store';
import type { AccessModel, AddOnName, BasePlanName } from '../definition/access-model.ts';
import type { CompiledAccess } from '../definition/compile-access.ts';
import {
  type EffectivePlans,
  findEffectiveLimits,
  findEffectivePlans,
  findOverrideProblems,
} from '../plan/effective-plans.ts';
import { assertStorable, invalid, type Operator } from './admin-change.ts';

/** When a tenant's plan starts and expires. */
export interface PlanTerms {
  /** Default: now, which starts new periods. Pass the start of the previous plan to keep its periods. */
  readonly startedAt?: Date;
  /** Default: never. */
  readonly expiresAt?: Date | null;
}

/** The outcome of a change of plans. */
export interface PlanChange {
  /** The tenant's add-ons that no longer count, because they do not fit its plans. */
  readonly incompatible: readonly string[];
}

/**
 * The minimum that a tenant is allowed, by the name of a limit or of the entitlement that limits gate; -1 is unlimited.
 */
export type LimitOverrides = Readonly<Record<string, { readonly max: number }>>;

/**
 * Changes the subscriptions of tenants. Each change commits together with its event, in the tenant's log. It does not
 * check whether the operator may make the change: the caller must.
 */
export interface PlanAdmin<Model extends AccessModel = AccessModel> {
  /**
   * Gives a tenant a plan, replacing the one it has in the plan's group, logs `plan.assigned`, and reports the add-ons
   * that do not fit it. Those stay, and count again as soon as they fit.
   */
  assignPlan(
    tenantId: string,
    plan: BasePlanName<Model>,
    operator: PlanOperator,
    terms?: PlanTerms,
  ): Promise<PlanChange>;

  /**
   * Attaches an add-on in a quantity (default 1) that replaces the previous quantity, and logs `add_on.attached`.
   *
   * @throws CodedError `CONFLICT` with `meta.requiredPlans` if it does not fit the tenant's plans
   */
  attachAddOn(tenantId: string, addOn: AddOnName<Model>, operator: PlanOperator, quantity?: number): Promise<void>;

  /** Detaches an add-on, with all its units, logs `add_on.detached`, and says whether the tenant had it. */
  detachAddOn(tenantId: string, addOn: AddOnName<Model>, operator: PlanOperator): Promise<boolean>;

  /**
   * Raises the limits of a tenant, and logs `limits.raised`.
   *
   * @throws CodedError `VALIDATION_FAILED` with an issue for each override of a limit that the tenant's plans do not
   * have, with an invalid number, or lower than the tenant's limit
   */
  setOverrides(tenantId: string, overrides: LimitOverrides, operator: PlanOperator): Promise<void>;
}

/** The operator of a change of a plan, for the log. */
export type PlanOperator = Pick<Operator, 'by'>;

/** The dependencies of the operations. */
interface PlanAdminDependencies {
  readonly access: CompiledAccess;
  readonly stores: Pick<TransactionStores, 'subscriptions' | 'transaction'>;
  readonly now: () => Date;
}

/** Creates the operations that change the subscriptions of tenants. */
export function createPlanAdmin({ access, stores, now }: PlanAdminDependencies): PlanAdmin {
  const toEffective = ({ subscriptions, addOns }: TenantPlans): EffectivePlans =>
    findEffectivePlans(access.plans, { subscriptions, addOns }, now());
  return {
    async assignPlan(tenantId, planName, operator, terms = {}) {
      const { startedAt, expiresAt = null } = terms;
      const plan = access.plans.basePlans.get(planName);
      if (!plan) throw invalid(`There is no plan ${JSON.stringify(planName)}.`);
      assertStorable(tenantId);
      assertMoments(startedAt, expiresAt);
      const { group } = plan;
      const subscription = { tenantId, group, planName: plan.name, expiresAt, ...(startedAt && { startedAt }) };
      return stores.transaction(async ({ subscriptions }) => {
        await subscriptions.assign(subscription, operator);
        const { incompatible } = toEffective(await subscriptions.read(tenantId));
        return { incompatible };
      });
    },

    async attachAddOn(tenantId, addOn, operator, quantity = 1) {
      assertAddOn(access, addOn);
      assertStorable(tenantId);
      if (!Number.isSafeInteger(quantity) || quantity < 1)
        throw invalid('The quantity must be a positive whole number.');
      await stores.transaction(async ({ subscriptions }) => {
        await subscriptions.attach({ tenantId, addOn, quantity }, operator);
        assertCompatible(access, addOn, toEffective(await subscriptions.read(tenantId)));
      });
    },

    async detachAddOn(tenantId, addOn, operator) {
      assertAddOn(access, addOn);
      assertStorable(tenantId);
      return stores.subscriptions.detach({ tenantId, addOn }, operator);
    },

    async setOverrides(tenantId, overrides, operator) {
      assertStorable(tenantId);
      await stores.transaction(async ({ subscriptions }) => {
        const plans = await subscriptions.read(tenantId);
        const problems = findOverrideProblems(findEffectiveLimits(toEffective(plans), plans.overrides), overrides);
        if (problems.length > 0) throw invalid('These limits cannot be set.', problems);
        await subscriptions.updateOverrides(tenantId, overrides, operator);
      });
    },
  };
}

function assertAddOn({ plans }: CompiledAccess, addOn: string): void {
  if (!plans.addOns.has(addOn)) throw invalid(`There is no add-on ${JSON.stringify(addOn)}.`);
}

function assertCompatible({ plans }: CompiledAccess, addOn: string, { incompatible }: EffectivePlans): void {
  if (!incompatible.includes(addOn)) return;
  const requires = plans.addOns.get(addOn)?.requires;
  throw new CodedError('CONFLICT', 'The add-on does not fit the plan.', {
    ...(requires && { meta: { requiredPlans: [...requires.plans] } }),
  });
}

function assertMoments(startedAt: Date | undefined, expiresAt: Date | null): void {
  const isMissing = [startedAt, expiresAt].some((moment) => moment && Number.isNaN(moment.getTime()));
  if (isMissing) throw invalid('startedAt and expiresAt must be valid dates.');
  if (startedAt && expiresAt && expiresAt <= startedAt) throw invalid('expiresAt must be later than startedAt.');
}
