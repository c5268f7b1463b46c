import type { TenantPlans, WalletCounter } from '@x/store';
import type { LimitUsage } from '../outcome/access-check.ts';
import {
  type EffectiveLimit,
  type EffectivePlans,
  findEffectiveLimits,
  findEffectivePlans,
} from '../plan/effective-plans.ts';
import { periodAt, type Period } from '../plan/limit-period.ts';
import type { AccessReads, Tenant } from '../reads/access-reads.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';

/** The plans, limits and flags of the tenant of a question. */
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

/** Reads the state of the tenant of a question; null if it has no tenant. Makes at most one store call. */
export async function readTenantState(
  context: EvaluationContext,
  { entitlement, resource }: AccessQuestion,
): Promise<TenantState | null> {
  const tenant = await context.reads.tenantOf(resource);
  if (!tenant) return null;
  const { plans, limits } = toCurrent(context, await context.reads.plansOf(tenant.id));
  return { tenantId: tenant.id, plans, limits: limits.get(entitlement.name) ?? [] };
}

/** Reads the plans that apply to a tenant. Makes at most one store call. */
export async function readEffectivePlans(context: EvaluationContext, tenantId: string): Promise<EffectivePlans> {
  return toCurrent(context, await context.reads.plansOf(tenantId)).plans;
}

/** The plans and limits of a tenant at one moment. */
interface Current {
  readonly moment: number;
  readonly plans: EffectivePlans;
  /** By the entitlement that they gate. */
  readonly limits: ReadonlyMap<string, readonly CurrentLimit[]>;
}

/**
 * Cached because many questions are evaluated at the same moment. The plans that were read belong to one context, and
 * so to one definition.
 */
const cache = new WeakMap<TenantPlans, Current>();

function toCurrent({ access, now }: EvaluationContext, subscribed: TenantPlans): Current {
  const at = now();
  const known = cache.get(subscribed);
  if (known?.moment === at.getTime()) return known;
  const plans = findEffectivePlans(access.plans, subscribed, at);
  const limits = findEffectiveLimits(plans, subscribed.overrides).map((limit): CurrentLimit => ({
    limit,
    period: periodAt(limit.per, limit.anchor, at),
  }));
  const current = { moment: at.getTime(), plans, limits: Map.groupBy(limits, ({ limit }) => limit.gates) };
  cache.set(subscribed, current);
  return current;
}

/** Finds the tenants of all questions that depend on them, and reads the plans that matter in one call. */
export async function loadTenants({ reads }: EvaluationContext, questions: readonly AccessQuestion[]): Promise<void> {
  const gated = questions.filter(({ entitlement: { gate, isLimited } }) => gate !== null || isLimited);
  await tenantsOf(reads, gated);
  const tenants = await tenantsOf(
    reads,
    gated.filter(({ entitlement: { gate, isLimited } }) => isLimited || !gate?.allowsAll),
  );
  await reads.plansOfEach(tenants.flatMap((tenant) => tenant?.id ?? []));
}

/** Most questions are about the same few resources. */
function tenantsOf(reads: AccessReads, questions: readonly AccessQuestion[]): Promise<readonly (Tenant | null)[]> {
  const resources = new Set(questions.map(({ resource }) => resource));
  return Promise.all(Array.from(resources, (resource) => reads.tenantOf(resource)));
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
