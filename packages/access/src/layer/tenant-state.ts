import type { TenantPlans, WalletCounter } from '@x/store';
import { whenAllThere, whenThere, type Awaitable } from '../context/when-there.ts';
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
export function readTenantState(
  { entitlement, resource }: AccessQuestion,
  context: LayerContext,
): Awaitable<TenantState | null> {
  const { reads } = context;
  return whenThere(reads.tenantOf(resource), (tenant) => {
    if (!tenant) return null;
    return whenThere(reads.plansOf(tenant.id), (subscribed): TenantState => {
      const { plans, limits } = toCurrent(subscribed, context);
      return { tenantId: tenant.id, plans, limits: limits.get(entitlement.name) ?? [] };
    });
  });
}

/** Reads the plans that count for a tenant. Makes one store call at most. */
export async function readEffectivePlans(tenantId: string, context: LayerContext): Promise<EffectivePlans> {
  return toCurrent(await context.reads.plansOf(tenantId), context).plans;
}

/** What counts for a tenant at one moment. */
interface Current {
  readonly moment: number;
  readonly plans: EffectivePlans;
  /** By the entitlement that they gate. */
  readonly limits: ReadonlyMap<string, readonly CurrentLimit[]>;
}

/** Many questions are asked at one moment. What was read belongs to one context, and so to one definition. */
const current = new WeakMap<TenantPlans, Current>();

function toCurrent(subscribed: TenantPlans, { access, now }: LayerContext): Current {
  const at = now();
  const known = current.get(subscribed);
  if (known?.moment === at.getTime()) return known;
  const plans = findEffectivePlans(access.plans, subscribed, at);
  const limits = findEffectiveLimits(plans, subscribed.overrides);
  const found = {
    moment: at.getTime(),
    plans,
    limits: Map.groupBy(
      limits.map((limit): CurrentLimit => ({ limit, period: periodAt(limit.per, limit.anchor, at) })),
      ({ limit }) => limit.gates,
    ),
  };
  current.set(subscribed, found);
  return found;
}

/** Reads in one call what the tenants of all questions are subscribed to that ask for it. */
export async function loadTenants(questions: readonly AccessQuestion[], { reads }: LayerContext): Promise<void> {
  const asked = questions.filter(({ entitlement }) => entitlement.gate !== null || entitlement.isLimited);
  // Most questions are asked on a few resources.
  const resources = new Set(asked.map(({ resource }) => resource));
  const tenants = await whenAllThere(Array.from(resources, (resource) => reads.tenantOf(resource)));
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
