import type { Denial } from '../outcome/access-check.ts';
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
    const states = await Promise.all(limited.map((question) => readTenantState(context, question)));
    await context.reads.countersOf(
      states.flatMap((state) => (state ? finiteOf(state).map((limit) => toCounter(state.tenantId, limit)) : [])),
    );
  },

  findDenial(context, question) {
    return question.entitlement.isLimited ? findUsedUp(context, question) : null;
  },
};

/** Finds the first limit that is used up. */
async function findUsedUp(context: EvaluationContext, question: AccessQuestion): Promise<Denial | null> {
  const state = await readTenantState(context, question);
  const finite = state ? finiteOf(state) : [];
  if (!state || finite.length === 0) return null;
  const consumed = await context.reads.countersOf(finite.map((limit) => toCounter(state.tenantId, limit)));
  const index = finite.findIndex(({ limit }, at) => (consumed[at] ?? 0) >= limit.max);
  const usedUp = finite[index];
  return usedUp ? { reasons: ['limit_reached'], meta: { limit: toUsage(usedUp, consumed[index] ?? 0) } } : null;
}

function finiteOf({ limits }: TenantState): readonly CurrentLimit[] {
  return limits.filter(({ limit }) => limit.max !== -1);
}
