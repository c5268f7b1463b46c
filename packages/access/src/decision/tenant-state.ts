import { allAwaitable, type Awaitable, mapAwaitable } from '@x/errors';
import type { TenantPlans, WalletCounter } from '@x/store';
import type { Tenant } from '../reads/access-reads.ts';
import type { LimitUsage } from '../outcome/access-check.ts';
import { periodAt, type Period } from '../plan/limit-period.ts';
import { type EffectiveLimit, findEffectiveLimits } from '../plan/effective-limits.ts';
import { findEffectivePlans, type EffectivePlans } from '../plan/effective-plans.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';

/** What applies to the tenant of a question. */
export interface TenantState {
  readonly tenantId: string;
  readonly plans: EffectivePlans;
  /** The limits that gate the entitlement, each with its current period. */
  readonly limits: readonly CurrentLimit[];
}

/** A limit and its current period. */
export interface CurrentLimit {
  readonly limit: EffectiveLimit;
  readonly period: Period;
}

/** Reads what applies to the tenant of a question; null if it has no tenant. Makes at most one store call. */
export function readTenantState(
  { entitlement, resource }: AccessQuestion,
  context: EvaluationContext,
): Awaitable<TenantState | null> {
  const { reads } = context;
  return mapAwaitable(reads.tenantOf(resource), (tenant) => {
    if (!tenant) return null;
    return mapAwaitable(reads.plansOf(tenant.id), (subscribed): TenantState => {
      const { plans, limits } = toCurrent(subscribed, context);
      return { tenantId: tenant.id, plans, limits: limits.get(entitlement.name) ?? [] };
    });
  });
}

/** Reads the plans that apply to a tenant. Makes at most one store call. */
export async function readEffectivePlans(tenantId: string, context: EvaluationContext): Promise<EffectivePlans> {
  return toCurrent(await context.reads.plansOf(tenantId), context).plans;
}

/** What applies to a tenant at one moment. */
interface Current {
  readonly moment: number;
  readonly plans: EffectivePlans;
  /** By the entitlement that they gate. */
  readonly limits: ReadonlyMap<string, readonly CurrentLimit[]>;
}

/**
 * Cached because many questions are evaluated at the same moment. What was read belongs to one context, and so to one
 * definition.
 */
const current = new WeakMap<TenantPlans, Current>();

function toCurrent(subscribed: TenantPlans, { access, now }: EvaluationContext): Current {
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

/** Finds the tenants of all questions that depend on them, and reads in one call the plans of those whose plans matter. */
export async function loadTenants(questions: readonly AccessQuestion[], { reads }: EvaluationContext): Promise<void> {
  const gated = questions.filter(({ entitlement: { gate, isLimited } }) => gate !== null || isLimited);
  await tenantsOf(gated, reads);
  const tenants = await tenantsOf(
    gated.filter(({ entitlement: { gate, isLimited } }) => isLimited || !gate?.allowsAll),
    reads,
  );
  await reads.loadPlans(new Set(tenants.flatMap((tenant) => (tenant ? [tenant.id] : []))));
}

/** Most questions are about the same few resources. */
function tenantsOf(
  questions: readonly AccessQuestion[],
  reads: EvaluationContext['reads'],
): Awaitable<readonly (Tenant | null)[]> {
  const resources = new Set(questions.map(({ resource }) => resource));
  return allAwaitable(Array.from(resources, (resource) => reads.tenantOf(resource)));
}

/** Returns the counter of a limit in its period. */
export function toCounter(tenantId: string, { limit, period }: CurrentLimit): WalletCounter {
  return { tenantId, limit: limit.name, periodStart: period.start };
}

/** Returns how much of a limit has been used. */
export function toUsage({ limit, period }: CurrentLimit, consumed: number): LimitUsage {
  return {
    key: limit.name,
    max: limit.max,
    consumed,
    remaining: limit.max === -1 ? -1 : Math.max(0, limit.max - consumed),
    resetsAt: period.end?.toISOString() ?? null,
  };
}
