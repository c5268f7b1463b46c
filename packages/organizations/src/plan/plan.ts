import { type AccessAdmin, type AccessContext, createAccessAdmin, type LimitUsage, type PlanOperator } from '@x/access';
import type { ActionTools } from '@x/entity';
import type { Resource, TenantPlans } from '@x/store';
import { z } from 'zod';
import { lockOrganizationAs } from '../role/locks.ts';
import type { Settings } from '../settings.ts';

/** The plan of an organization, and how much of its limits is used. */
export interface PlanState {
  readonly plan: string;
  readonly limits: readonly LimitUsage[];
  readonly addOns: readonly { readonly name: string; readonly quantity: number }[];
  /** Its add-ons that do not count, because they do not fit its plan. */
  readonly incompatible: readonly string[];
}

const limitUsage: z.ZodType<LimitUsage, LimitUsage> = z.strictObject({
  key: z.string(),
  max: z.int(),
  consumed: z.int(),
  remaining: z.int(),
  resetsAt: z.string().nullable(),
});

/** The schema of {@link PlanState}. */
export const planState: z.ZodType<PlanState, PlanState> = z.strictObject({
  plan: z.string(),
  limits: z.array(limitUsage).readonly(),
  addOns: z.array(z.strictObject({ name: z.string(), quantity: z.int() })).readonly(),
  incompatible: z.array(z.string()).readonly(),
});

/** Reads the current plan of an organization. */
export async function readPlanState(
  { definition }: Pick<Settings, 'definition'>,
  access: AccessContext,
  organization: Resource,
): Promise<PlanState> {
  const traces = await Promise.all(
    findExplaining(definition).map((entitlement) => access.explain(entitlement, organization)),
  );
  const plans = traces.find((trace) => trace.plans !== null)?.plans;
  return {
    plan: plans?.basePlans[0]?.name ?? '',
    limits: traces.flatMap(({ limits }) => limits),
    addOns: plans?.addOns ?? [],
    incompatible: plans?.incompatible ?? [],
  };
}

/**
 * Lists the entitlements whose explanations name the plans, and together all limits: those that any plan limits, or else
 * one that needs a plan.
 */
function findExplaining({ plans = {}, entitlements }: Settings['definition']): readonly string[] {
  const all = Object.values(plans);
  const limited = new Set(all.flatMap(({ limits = {} }) => Object.values(limits).map(({ gates }) => gates)));
  if (limited.size > 0) return [...limited];
  const naming = Object.entries(entitlements).flatMap(([name, entitlement]) => (entitlement.plans ? [name] : []));
  return [...all.flatMap(({ features = [] }) => features), ...naming].slice(0, 1);
}

/** Lists the plans that an organization can be on, and the add-ons that it can have beside. */
export function listPlans({ definition: { plans = {} } }: Pick<Settings, 'definition'>): {
  readonly base: readonly string[];
  readonly addOns: readonly string[];
} {
  const all = Object.entries(plans);
  return {
    base: all.flatMap(([name, { addOn }]) => (addOn === true ? [] : [name])),
    addOns: all.flatMap(([name, { addOn }]) => (addOn === true ? [name] : [])),
  };
}

/** Returns the group of a base plan. */
export function groupOf({ definition }: Pick<Settings, 'definition'>, plan: string): string | undefined {
  const declared = definition.plans?.[plan];
  return declared && !declared.addOn ? (declared.group ?? 'base') : undefined;
}

/** Finds where the current periods in the group of a plan are counted from; undefined if no plan of it applies. */
function findAnchor(
  settings: Pick<Settings, 'definition'>,
  { subscriptions }: Pick<TenantPlans, 'subscriptions'>,
  { plan, now }: { readonly plan: string; readonly now: Date },
): Date | undefined {
  const group = groupOf(settings, plan);
  const present = subscriptions.find((each) => each.group === group);
  if (present && (present.expiresAt === null || now < present.expiresAt)) return present.startedAt;
  const isFallback = group === groupOf(settings, settings.definition.defaultPlan ?? 'free');
  return isFallback ? (present?.expiresAt ?? new Date(0)) : undefined;
}

/** The requested plan of an organization. */
export interface PlanChange {
  readonly plan: string;
}

/** An add-on to attach or detach. */
export interface AddOnChange {
  readonly addOn: string;
  readonly attach: boolean;
}

/** Puts an organization on a plan, as its vendor would. The periods of its limits continue. */
export function changePlan(
  settings: Settings,
  tools: ActionTools,
  organization: Resource,
  { plan }: PlanChange,
): Promise<PlanState> {
  return change(settings, tools, organization, async ({ stores, now }, admin, operator) => {
    const startedAt = findAnchor(settings, await stores.subscriptions.read(organization.id), { plan, now });
    await admin.assignPlan(organization.id, plan, operator, startedAt && { startedAt });
  });
}

/**
 * Attaches an add-on to an organization, or detaches it.
 *
 * @throws CodedError `CONFLICT` if the add-on does not fit the plan
 */
export function changeAddOn(
  settings: Settings,
  tools: ActionTools,
  organization: Resource,
  { addOn, attach }: AddOnChange,
): Promise<PlanState> {
  return change(settings, tools, organization, async (_, admin, operator) => {
    if (attach) await admin.attachAddOn(organization.id, addOn, operator);
    else await admin.detachAddOn(organization.id, addOn, operator);
  });
}

type Step = (inside: ActionTools, admin: AccessAdmin, operator: PlanOperator) => Promise<void>;

/** Makes a change if the caller may, one at a time per organization, and returns the resulting state. */
async function change(settings: Settings, tools: ActionTools, organization: Resource, step: Step): Promise<PlanState> {
  const { definition, entitlements } = settings;
  await tools.transaction(async (inside) => {
    await lockOrganizationAs(inside, organization, { entitlement: entitlements.manage, resource: organization });
    const { stores, now, caller } = inside;
    const admin = createAccessAdmin({ definition, stores, now: () => now });
    await step(inside, admin, { by: caller.userId });
  });
  return tools.transaction(({ access }) => readPlanState(settings, access, organization));
}
