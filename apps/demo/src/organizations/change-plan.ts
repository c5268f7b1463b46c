import { type AccessAdmin, type AccessModel, createAccessAdmin, type PlanOperator } from '@x/access';
import type { ActionTools } from '@x/entity';
import { z } from 'zod';
import { definition } from '../access/definition.ts';
import { organizationOf } from '../access/resource.ts';
import { type PlanState, readPlanState } from './plan-state.ts';
import { lockOrganizationAs } from './lock-organization.ts';

/** The plan that an organization is to have. */
export interface PlanChange {
  readonly plan: 'free' | 'pro' | 'enterprise';
}

/** How a {@link PlanChange} looks on the wire. */
export const planChange: z.ZodType<PlanChange, PlanChange> = z.strictObject({
  plan: z.enum(['free', 'pro', 'enterprise']),
});

/** An add-on to have from now on, or no more. */
export interface AddOnChange {
  readonly addOn: 'extra-exports';
  readonly attach: boolean;
}

/** How an {@link AddOnChange} looks on the wire. */
export const addOnChange: z.ZodType<AddOnChange, AddOnChange> = z.strictObject({
  addOn: z.enum(['extra-exports']),
  attach: z.boolean(),
});

/** Puts an organization on a plan, as somebody who sells it would. The periods of its limits go on. */
export function changePlan(tools: ActionTools, organizationId: string, { plan }: PlanChange): Promise<PlanState> {
  return change(tools, organizationId, async ({ stores }, admin, operator) => {
    const { subscriptions } = await stores.subscriptions.read(organizationId);
    const present = subscriptions.find(({ group }) => group === 'base');
    await admin.assignPlan(organizationId, plan, operator, present && { startedAt: present.startedAt });
  });
}

/**
 * Attaches an add-on to an organization, or takes it away.
 *
 * @throws CodedError `CONFLICT` where its plan is none that the add-on goes with
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

/** One after another, by who may, and with the state that comes of it. */
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
