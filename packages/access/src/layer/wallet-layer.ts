import type { AccessQuestion, Layer, LayerContext } from './layer.ts';
import {
  loadTenants,
  readTenantState,
  toCounter,
  toUsage,
  type CurrentLimit,
  type TenantState,
} from './tenant-state.ts';

/** Asks whether there is enough left of all limits that gate the entitlement for using it once more. Consumes nothing. */
export const walletLayer: Layer = {
  async load(questions, context) {
    const limited = questions.filter(({ entitlement }) => entitlement.isLimited);
    await loadTenants(questions, context);
    const states = await Promise.all(limited.map(async (question) => readTenantState(question, context)));
    await context.reads.countersOf(
      states.flatMap((state) => (state ? finiteOf(state).map((limit) => toCounter(state.tenantId, limit)) : [])),
    );
  },

  passes(question, context) {
    if (!question.entitlement.isLimited) return true;
    return findReached(question, context).then((reached) => reached === null);
  },

  async findDenial(question, context) {
    if (!question.entitlement.isLimited) return null;
    const reached = await findReached(question, context);
    return reached ? { reasons: ['limit_reached'], meta: { limit: toUsage(reached.limit, reached.consumed) } } : null;
  },
};

/** Finds the first limit of which there is nothing left. */
async function findReached(
  question: AccessQuestion,
  context: LayerContext,
): Promise<{ readonly limit: CurrentLimit; readonly consumed: number } | null> {
  const state = await readTenantState(question, context);
  const finite = state ? finiteOf(state) : [];
  if (!state || finite.length === 0) return null;
  const counters = await context.reads.countersOf(finite.map((limit) => toCounter(state.tenantId, limit)));
  const index = finite.findIndex(({ limit }, at) => (counters[at] ?? 0) >= limit.max);
  const limit = finite[index];
  return limit ? { limit, consumed: counters[index] ?? 0 } : null;
}

function finiteOf({ limits }: TenantState): readonly CurrentLimit[] {
  return limits.filter(({ limit }) => limit.max !== -1);
}
