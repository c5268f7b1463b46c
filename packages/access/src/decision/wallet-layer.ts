import { allAwaitable, type Awaitable, mapAwaitable } from '@x/errors';
import type { AccessQuestion, EvaluationContext, Layer } from './layer.ts';
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
  async load(questions, context) {
    const limited = questions.filter(({ entitlement }) => entitlement.isLimited);
    await loadTenants(questions, context);
    const states = await allAwaitable(limited.map((question) => readTenantState(question, context)));
    await context.reads.countersOf(
      states.flatMap((state) => (state ? finiteOf(state).map((limit) => toCounter(state.tenantId, limit)) : [])),
    );
  },

  passes(question, context) {
    if (!question.entitlement.isLimited) return true;
    return mapAwaitable(findReached(question, context), (reached) => reached === null);
  },

  findDenial(question, context) {
    if (!question.entitlement.isLimited) return null;
    return mapAwaitable(findReached(question, context), (reached) =>
      reached ? { reasons: ['limit_reached'], meta: { limit: toUsage(reached.limit, reached.consumed) } } : null,
    );
  },
};

/** Finds the first limit that is used up. */
function findReached(question: AccessQuestion, context: EvaluationContext): Awaitable<ReachedLimit | null> {
  return mapAwaitable(readTenantState(question, context), (state) => {
    const finite = state ? finiteOf(state) : [];
    if (!state || finite.length === 0) return null;
    const counters = context.reads.countersOf(finite.map((limit) => toCounter(state.tenantId, limit)));
    return mapAwaitable(counters, (consumed) => pickReached(finite, consumed));
  });
}

function pickReached(limits: readonly CurrentLimit[], consumed: readonly number[]): ReachedLimit | null {
  const index = limits.findIndex(({ limit }, at) => (consumed[at] ?? 0) >= limit.max);
  const limit = limits[index];
  return limit ? { limit, consumed: consumed[index] ?? 0 } : null;
}

interface ReachedLimit {
  readonly limit: CurrentLimit;
  readonly consumed: number;
}

function finiteOf({ limits }: TenantState): readonly CurrentLimit[] {
  return limits.filter(({ limit }) => limit.max !== -1);
}
