import { whenThere, type Awaitable } from '../context/when-there.ts';
import { passesGate, type PlanGate } from '../plan/plan-gate.ts';
import type { AccessQuestion, Layer, LayerContext } from './layer.ts';
import { loadTenants, readTenantState } from './tenant-state.ts';

/** Checks that a plan or add-on of the tenant includes the entitlement. Without a tenant there is none. */
export const planLayer: Layer = {
  load: loadTenants,

  passes(question, context) {
    const { gate } = question.entitlement;
    return gate === null || isSubscribed(question, gate, context);
  },

  findDenial(question, context) {
    const { gate } = question.entitlement;
    if (gate === null) return null;
    return whenThere(isSubscribed(question, gate, context), (passed) =>
      passed ? null : { reasons: ['plan_required'], meta: { requiredPlans: [...gate.plans] } },
    );
  },
};

function isSubscribed(question: AccessQuestion, gate: PlanGate, context: LayerContext): Awaitable<boolean> {
  if (gate.admitsAll) return whenThere(context.reads.tenantOf(question.resource), (tenant) => tenant !== null);
  return whenThere(readTenantState(question, context), (state) => state !== null && passesGate(gate, state.plans));
}
