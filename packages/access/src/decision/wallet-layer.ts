import { allAwaitable, type Awaitable, mapAwaitable } from '@x/errors';
import type { Layer } from './layer.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';
import {
  loadTenants,
  readTenantState,
  toCounter,
  toUsage,
  type CurrentLimit,
  type TenantState,
} from './tenant-state.ts';

/** Checks that all limits that gate the entitlement have enough left for one more use. Consumes nothing. */
export const walletLayer: Layer = {
  async load(context, questions) {
    const limited = questions.filter(({ entitlement }) => entitlement.isLimited);
    await loadTenants(context, questions);
    const states = await allAwaitable(limited.map((question) => readTenantState(context, question)));
    await context.reads.countersOf(
      states.flatMap((state) => (state ? finiteOf(state).map((limit) => toCounter(state.tenantId, limit)) : [])),
    );
  },

  passes(context, question) {
    if (!question.entitlement.isLimited) return true;
    return mapAwaitable(findUsedUp(context, question), (usedUp) => usedUp === null);
  },

  findDenial(context, question) {
    if (!question.entitlement.isLimited) return null;
    return mapAwaitable(findUsedUp(context, question), (usedUp) =>
      usedUp ? { reasons: ['limit_reached'], meta: { limit: toUsage(usedUp.limit, usedUp.consumed) } } : null,
    );
  },
};

/** Finds the first limit that is used up. */
function findUsedUp(context: EvaluationContext, question: AccessQuestion): Awaitable<UsedUpLimit | null> {
  return mapAwaitable(readTenantState(context, question), (state) => {
    const finite = state ? finiteOf(state) : [];
    if (!state || finite.length === 0) return null;
    const counters = context.reads.countersOf(finite.map((limit) => toCounter(state.tenantId, limit)));
    return mapAwaitable(counters, (consumed) => pickUsedUp(finite, consumed));
  });
}

function pickUsedUp(limits: readonly CurrentLimit[], consumed: readonly number[]): UsedUpLimit | null {
  const index = limits.findIndex(({ limit }, at) => (consumed[at] ?? 0) >= limit.max);
  const limit = limits[index];
  return limit ? { limit, consumed: consumed[index] ?? 0 } : null;
}

interface UsedUpLimit {
  readonly limit: CurrentLimit;
  readonly consumed: number;
}

function finiteOf({ limits }: TenantState): readonly CurrentLimit[] {
  return limits.filter(({ limit }) => limit.max !== -1);
}
