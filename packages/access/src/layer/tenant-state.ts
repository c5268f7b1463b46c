import type { WalletCounter } from '@x/store';
import type { LimitUsage } from '../decision/access-check.ts';
import { periodAt, type BillingPeriod } from '../limit/billing-period.ts';
import { findEffectiveLimits, type EffectiveLimit } from '../limit/find-effective-limits.ts';
import { findEffectivePlans, type EffectivePlans } from '../plan/find-effective-plans.ts';
import type { AccessQuestion, LayerContext } from './layer.ts';

/** What counts for the tenant of a question. */
export interface TenantState {
  readonly tenantId: string;
  readonly plans: EffectivePlans;
  /** Those that gate the entitlement, each in its period. */
  readonly limits: readonly CurrentLimit[];
}

/** A limit in the period that it is in now. */
export interface CurrentLimit {
  readonly limit: EffectiveLimit;
  readonly period: BillingPeriod;
}

/** Reads what counts for the tenant of a question; null where that has none. Makes one store call at most. */
export async function readTenantState(
  { entitlement, resource }: AccessQuestion,
  { access, reads, now }: LayerContext,
): Promise<TenantState | null> {
  const tenant = await reads.tenantOf(resource);
  if (!tenant) return null;
  const subscribed = await reads.plansOf(tenant.id);
  const moment = now();
  const plans = findEffectivePlans(access.plans, subscribed, moment);
  const limits = findEffectiveLimits(plans, subscribed.overrides).filter(({ gates }) => gates === entitlement.name);
  return {
    tenantId: tenant.id,
    plans,
    limits: limits.map((limit) => ({ limit, period: periodAt(limit.per, limit.anchor, moment) })),
  };
}

/** Reads in one call what the tenants of all questions are subscribed to that ask for it. */
export async function loadTenants(questions: readonly AccessQuestion[], { reads }: LayerContext): Promise<void> {
  const asked = questions.filter(({ entitlement }) => entitlement.gate !== null || entitlement.isLimited);
  const tenants = await Promise.all(asked.map(async ({ resource }) => reads.tenantOf(resource)));
  await reads.loadPlans(new Set(tenants.flatMap((tenant) => (tenant ? [tenant.id] : []))));
}

/** Names the counter of a limit in its period. */
export function toCounter(tenantId: string, { limit, period }: CurrentLimit): WalletCounter {
  return { tenantId, limit: limit.name, periodStart: period.start };
}

/** Tells how much of a limit is used up. */
export function toUsage({ limit, period }: CurrentLimit, consumed: number): LimitUsage {
  return {
    key: limit.name,
    max: limit.max,
    consumed,
    remaining: limit.max === -1 ? -1 : Math.max(0, limit.max - consumed),
    resetsAt: period.end?.toISOString() ?? null,
  };
}
