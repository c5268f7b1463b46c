import {
  type AccessAdmin,
  type AccessContext,
  type AccessModel,
  createAccessAdmin,
  type LimitUsage,
  type PlanOperator,
} from '@x/access';
import type { ActionTools } from '@x/entity';
import { z } from 'zod';
import { limitUsage } from '../access/access-service.ts';
import { definition } from '../access/definition.ts';
import { organizationOf } from '../access/roles.ts';
import { lockOrganizationAs } from './members.ts';

/** The plan of an organization, and how much of its limits is used. */
export interface PlanState {
  readonly plan: string;
  readonly limits: readonly LimitUsage[];
  readonly addOns: readonly { readonly name: string; readonly quantity: number }[];
  /** Its add-ons that do not count, because they do not fit its plan. */
  readonly incompatible: readonly string[];
}

/** The schema of {@link PlanState}. */
export const planState: z.ZodType<PlanState, PlanState> = z.strictObject({
  plan: z.string(),
  limits: z.array(limitUsage).readonly(),
  addOns: z.array(z.strictObject({ name: z.string(), quantity: z.int() })).readonly(),
  incompatible: z.array(z.string()).readonly(),
});

/** Reads the current plan of an organization. */
export async function readPlanState(access: AccessContext, organizationId: string): Promise<PlanState> {
  const organization = organizationOf(organizationId);
  const traces = await Promise.all(limited.map((entitlement) => access.explain(entitlement, organization)));
  const plans = traces.find((trace) => trace.plans !== null)?.plans;
  return {
    plan: plans?.basePlans[0]?.name ?? '',
    limits: traces.flatMap(({ limits }) => limits),
    addOns: plans?.addOns ?? [],
    incompatible: plans?.incompatible ?? [],
  };
}

/** The entitlements that any plan limits. */
const limited = [
  ...new Set(
    Object.values(definition.plans ?? {}).flatMap(({ limits }) => Object.values(limits).map(({ gates }) => gates)),
  ),
];

/** The requested plan of an organization. */
interface PlanChange {
  readonly plan: 'free' | 'pro' | 'enterprise';
}

/** The schema of {@link PlanChange}. */
export const planChange: z.ZodType<PlanChange, PlanChange> = z.strictObject({
  plan: z.enum(['free', 'pro', 'enterprise']),
});

/** An add-on to attach or detach. */
interface AddOnChange {
  readonly addOn: 'extra-exports';
  readonly attach: boolean;
}

/** The schema of {@link AddOnChange}. */
export const addOnChange: z.ZodType<AddOnChange, AddOnChange> = z.strictObject({
  addOn: z.enum(['extra-exports']),
  attach: z.boolean(),
});

/** Puts an organization on a plan, as its vendor would. The periods of its limits continue. */
export function changePlan(tools: ActionTools, organizationId: string, { plan }: PlanChange): Promise<PlanState> {
  return change(tools, organizationId, async ({ stores }, admin, operator) => {
    const { subscriptions } = await stores.subscriptions.read(organizationId);
    const present = subscriptions.find(({ group }) => group === 'base');
    await admin.assignPlan(organizationId, plan, operator, present && { startedAt: present.startedAt });
  });
}

/**
 * Attaches an add-on to an organization, or detaches it.
 *
 * @throws CodedError `CONFLICT` if the add-on does not fit the plan
 */
export function changeAddOn(
  tools: ActionTools,
  organizationId: string,
  { addOn, attach }: AddOnChange,
): Promise<PlanState> {
  return change(tools, organizationId, async (_, admin, operator) => {
    if (attach) await admin.attachAddOn(organizationId, addOn, operator);
    else await admin.detachAddOn(organizationId, addOn, operator);
  });
}

type Step = (inside: ActionTools, admin: AccessAdmin, operator: PlanOperator) => Promise<void>;

/** Makes a change if the caller may, one at a time per organization, and returns the resulting state. */
async function change(tools: ActionTools, organizationId: string, step: Step): Promise<PlanState> {
  const resource = organizationOf(organizationId);
  await tools.transaction(async (inside) => {
    await lockOrganizationAs(inside, organizationId, { entitlement: 'organization:manage', resource });
    const { stores, now, caller } = inside;
    const admin = createAccessAdmin<AccessModel>({ definition, stores, now: () => now });
    await step(inside, admin, { by: caller.userId });
  });
  return tools.transaction(({ access }) => readPlanState(access, organizationId));
}
