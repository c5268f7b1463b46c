import { type AccessAdmin, type AccessModel, createAccessAdmin, type PlanOperator } from '@x/access';
import type { ActionTools } from '@x/entity';
import { z } from 'zod';
import { definition } from '../access/definition.ts';
import { organizationOf } from '../access/resource.ts';
import { type PlanState, readPlanState } from './plan-state.ts';
import { lockOrganizationAs } from './lock-organization.ts';

/** The requested plan of an organization. */
export interface PlanChange {
  readonly plan: 'free' | 'pro' | 'enterprise';
}

/** A {@link PlanChange} on the wire. */
export const planChange: z.ZodType<PlanChange, PlanChange> = z.strictObject({
  plan: z.enum(['free', 'pro', 'enterprise']),
});

/** An add-on to attach or detach. */
export interface AddOnChange {
  readonly addOn: 'extra-exports';
  readonly attach: boolean;
}

/** An {@link AddOnChange} on the wire. */
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
