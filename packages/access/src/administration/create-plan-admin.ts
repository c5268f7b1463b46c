import { CodedError } from '@x/errors';
import type { JsonObject, Stores, TransactionStores } from '@x/store';
import type { AccessModel, AddOnName, BasePlanName } from '../definition/access-model.ts';
import type { CompiledAccess } from '../definition/compile-access.ts';
import { findEffectiveLimits } from '../limit/find-effective-limits.ts';
import { findOverrideProblems } from '../limit/find-override-problems.ts';
import { findEffectivePlans, type EffectivePlans } from '../plan/find-effective-plans.ts';
import { appendEvent, type AdminEvent, type Operator } from './admin-event.ts';
import { assertStorable, invalid } from './refusals.ts';

/** For how long a tenant has a plan. */
export interface PlanTerms {
  /** Now by default, which starts new periods; that of the plan before keeps them. */
  readonly startedAt?: Date;
  /** Never by default. */
  readonly expiresAt?: Date | null;
}

/** What became of a change of plans. */
export interface PlanChange {
  /** The add-ons that the tenant has, and that count for nothing next to its plans now. */
  readonly incompatible: readonly string[];
}

/** What a tenant is allowed at least, by the name of a limit or of what limits gate; -1 is unlimited. */
export type LimitOverrides = Readonly<Record<string, { readonly max: number }>>;

/**
 * Changes what tenants are subscribed to. Each change commits together with its event, which is in the log of the tenant. It
 * decides nothing: whoever calls it has asked whether the operator may.
 */
export interface PlanAdmin<Model extends AccessModel = AccessModel> {
  /**
   * Gives a tenant a plan in the place of the one that it has in the plan's group, logs `plan.assigned`, and reports the
   * add-ons that don't go with it: they stay, and count again as soon as they do.
   */
  assignPlan(
    tenantId: string,
    plan: BasePlanName<Model>,
    operator: PlanOperator,
    terms?: PlanTerms,
  ): Promise<PlanChange>;

  /**
   * Attaches an add-on in a quantity, 1 by default, in the place of the quantity before, and logs `add_on.attached`.
   *
   * @throws CodedError `CONFLICT` with `meta.requiredPlans` where it would count for nothing next to the tenant's plans
   */
  attachAddOn(tenantId: string, addOn: AddOnName<Model>, operator: PlanOperator, quantity?: number): Promise<void>;

  /** Takes an add-on away in whatever quantity, logs `add_on.detached`, and says whether the tenant had it. */
  detachAddOn(tenantId: string, addOn: AddOnName<Model>, operator: PlanOperator): Promise<boolean>;

  /**
   * Raises what a tenant is allowed, and logs `limits.raised`.
   *
   * @throws CodedError `VALIDATION_FAILED` with issues for what the tenant's plans do not limit, for what no limit can be,
   * and for less than the tenant has
   */
  setOverrides(tenantId: string, overrides: LimitOverrides, operator: PlanOperator): Promise<void>;
}

/** Who changes a plan, for the log. */
export type PlanOperator = Pick<Operator, 'by'>;

/** What the operations work on. */
interface PlanAdminParts {
  readonly access: CompiledAccess;
  readonly stores: Pick<Stores, 'transaction'>;
  readonly now: () => Date;
}

/** Creates the operations that change what tenants are subscribed to. */
export function createPlanAdmin({ access, stores, now }: PlanAdminParts): PlanAdmin {
  const readPlans = async ({ subscriptions }: TransactionStores, tenantId: string): Promise<TenantNow> => {
    const { overrides, ...subscribed } = await subscriptions.read(tenantId);
    const plans = findEffectivePlans(access.plans, subscribed, now());
    return { plans, limits: findEffectiveLimits(plans, overrides) };
  };
  return {
    async assignPlan(tenantId, planName, { by }, { startedAt, expiresAt = null } = {}) {
      const plan = access.plans.basePlans.get(planName);
      if (!plan) throw invalid(`There is no plan ${JSON.stringify(planName)}.`);
      assertStorable(tenantId);
      assertMoments(startedAt, expiresAt);
      return stores.transaction(async (inside) => {
        const assigned = await inside.subscriptions.assign(tenantId, plan.name, plan.group, startedAt, expiresAt);
        const { incompatible } = (await readPlans(inside, tenantId)).plans;
        await log(inside, 'plan.assigned', tenantId, {
          plan: plan.name,
          group: plan.group,
          startedAt: assigned.startedAt.toISOString(),
          expiresAt: assigned.expiresAt?.toISOString() ?? null,
          incompatible,
          by,
        });
        return { incompatible };
      });
    },

    async attachAddOn(tenantId, addOn, { by }, quantity = 1) {
      assertAddOn(access, addOn);
      assertStorable(tenantId);
      if (!Number.isSafeInteger(quantity) || quantity < 1)
        throw invalid('The quantity must be a positive whole number.');
      await stores.transaction(async (inside) => {
        await inside.subscriptions.attach(tenantId, addOn, quantity);
        assertCompatible(access, addOn, (await readPlans(inside, tenantId)).plans);
        await log(inside, 'add_on.attached', tenantId, { addOn, quantity, by });
      });
    },

    async detachAddOn(tenantId, addOn, { by }) {
      assertAddOn(access, addOn);
      assertStorable(tenantId);
      return stores.transaction(async (inside) => {
        const isDetached = await inside.subscriptions.detach(tenantId, addOn);
        if (isDetached) await log(inside, 'add_on.detached', tenantId, { addOn, by });
        return isDetached;
      });
    },

    async setOverrides(tenantId, overrides, { by }) {
      assertStorable(tenantId);
      await stores.transaction(async (inside) => {
        const problems = findOverrideProblems((await readPlans(inside, tenantId)).limits, overrides);
        if (problems.length > 0) throw invalid('These limits cannot be set.', problems);
        await inside.subscriptions.updateOverrides(tenantId, overrides);
        const raised = Object.entries(overrides).map(([name, { max }]) => [name, max]);
        await log(inside, 'limits.raised', tenantId, { overrides: Object.fromEntries(raised), by });
      });
    },
  };
}

/** What counts for a tenant now. */
interface TenantNow {
  readonly plans: EffectivePlans;
  readonly limits: ReturnType<typeof findEffectiveLimits>;
}

function log(inside: TransactionStores, type: AdminEvent['type'], tenantId: string, detail: JsonObject): Promise<void> {
  return appendEvent(inside, { type, userId: null, tenantId, detail });
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
