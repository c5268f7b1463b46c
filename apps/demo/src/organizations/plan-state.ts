import type { AccessContext, LimitUsage } from '@x/access';
import { z } from 'zod';
import { definition } from '../access/definition.ts';
import { limitUsage } from '../access/limit-usage.ts';
import { organizationOf } from '../access/resource.ts';

/** The plan of an organization, and how much of its limits is used. */
export interface PlanState {
  readonly plan: string;
  readonly limits: readonly LimitUsage[];
  readonly addOns: readonly { readonly name: string; readonly quantity: number }[];
  /** Its add-ons that do not count, because they do not fit its plan. */
  readonly incompatible: readonly string[];
}

/** A {@link PlanState} on the wire. */
export const planState: z.ZodType<PlanState, PlanState> = z.strictObject({
  plan: z.string(),
  limits: z.array(limitUsage).readonly(),
  addOns: z.array(z.strictObject({ name: z.string(), quantity: z.int() })).readonly(),
  incompatible: z.array(z.string()).readonly(),
});

/** The entitlements that any plan limits. */
const limited = [
  ...new Set(
    Object.values(definition.plans ?? {}).flatMap(({ limits }) => Object.values(limits).map(({ gates }) => gates)),
  ),
];

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
