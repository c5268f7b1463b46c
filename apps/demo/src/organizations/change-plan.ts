import type { AddOnModel } from '@x/access';
import type { ActionTools } from '@x/entity';
import { CodedError } from '@x/errors';
import { z } from 'zod';
import { definition } from '../access/definition.ts';
import { organizationOf } from '../access/resource.ts';
import { type PlanState, readPlanState } from './plan-state.ts';
import { takeOrganizationAs } from './take-organization.ts';

/** What a caller wants an organization to have. */
export interface PlanChange {
  readonly plan: 'free' | 'pro' | 'enterprise';
}

export const planChange: z.ZodType<PlanChange, PlanChange> = z.strictObject({
  plan: z.enum(['free', 'pro', 'enterprise']),
});

/** An add-on to have from now on, or no more. */
export interface AddOnChange {
  readonly addOn: 'extra-exports';
  readonly attach: boolean;
}

export const addOnChange: z.ZodType<AddOnChange, AddOnChange> = z.strictObject({
  addOn: z.enum(['extra-exports']),
  attach: z.boolean(),
});

/** Puts an organization on a plan, as somebody who sells it would. The periods of its limits go on. */
export function changePlan(tools: ActionTools, organizationId: string, { plan }: PlanChange): Promise<PlanState> {
  return change(tools, organizationId, async ({ stores }) => {
    const { group } = definition.plans?.[plan] ?? { group: 'base' };
    const { subscriptions } = await stores.subscriptions.read(organizationId);
    const present = subscriptions.find((each) => each.group === group);
    await stores.subscriptions.assign(organizationId, plan, group, present?.startedAt);
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
  return change(tools, organizationId, async ({ stores, access }) => {
    if (!attach) return void (await stores.subscriptions.detach(organizationId, addOn));
    const { requires }: AddOnModel = definition.plans?.[addOn] ?? { addOn: true };
    const { plan } = await readPlanState(access, organizationId);
    if (requires && !requires.plans.includes(plan)) throw unfit(requires.plans);
    await stores.subscriptions.attach(organizationId, addOn);
  });
}

/** One after another, by who may, and with the state that comes of it. */
async function change(
  tools: ActionTools,
  organizationId: string,
  step: (inside: ActionTools) => Promise<void>,
): Promise<PlanState> {
  const resource = organizationOf(organizationId);
  await tools.transaction(async (inside) => {
    await takeOrganizationAs(inside, organizationId, { entitlement: 'organization:manage', resource });
    await step(inside);
  });
  return tools.transaction(({ access }) => readPlanState(access, organizationId));
}

function unfit(requiredPlans: readonly string[]): CodedError {
  return new CodedError('CONFLICT', 'The plan of the organization does not go with this.', {
    reason: 'plan_required',
    reasons: ['plan_required'],
    meta: { requiredPlans },
  });
}
