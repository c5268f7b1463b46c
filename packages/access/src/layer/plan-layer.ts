import { whenThere, type Awaitable } from '../context/when-there.ts';
import { passesGate } from '../plan/plan-gate.ts';
import type { AccessQuestion, Layer, LayerContext } from './layer.ts';
import { loadTenants, readTenantState } from './tenant-state.ts';

/** Checks that a plan or add-on of the tenant includes the entitlement. Without a tenant there is none. */
export const planLayer: Layer = {
  load: loadTenants,

  passes(question, context) {
    return question.entitlement.gate === null || isSubscribed(question, context);
  },

  findDenial(question, context) {
    const { gate } = question.entitlement;
    if (gate === null) return null;
    return whenThere(isSubscribed(question, context), (passed) =>
      passed ? null : { reasons: ['plan_required'], meta: { requiredPlans: [...gate] } },
    );
  },
};

function isSubscribed(question: AccessQuestion, context: LayerContext): Awaitable<boolean> {
  return whenThere(
    readTenantState(question, context),
    (state) => state !== null && passesGate(question.entitlement.gate, state.plans),
  );
}
