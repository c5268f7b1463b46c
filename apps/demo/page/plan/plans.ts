import type { LimitUsage } from '@x/access/access-set';
import type { ClientResult } from '@x/client';
import { client } from '../client.ts';

/** What an organization has paid for, and how much of it is used. */
export interface PlanState {
  readonly plan: Plan;
  readonly limits: readonly LimitUsage[];
}

/** The plans, the smallest first. */
export const plans = ['free', 'pro', 'enterprise'] as const;

type Plan = (typeof plans)[number];

/** What is another where the plan is. */
export const planTopics = ['plan', 'access', 'projects', 'tasks'] as const;

/** Puts an organization on a plan; it stands in for a shop. */
export function choosePlan(organizationId: string, plan: string): Promise<ClientResult<unknown>> {
  return client.request(`/api/organizations/${organizationId}/plan`, { method: 'POST', body: { plan } });
}
