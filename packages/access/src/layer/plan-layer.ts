import { passesGate } from '../plan/plan-gate.ts';
import type { AccessQuestion, Layer, LayerContext } from './layer.ts';
import { loadTenants, readTenantState } from './tenant-state.ts';

/** Asks whether a plan or an add-on of the tenant lets the entitlement pass. Without a tenant there is none. */
export const planLayer: Layer = {
  load: loadTenants,

  passes(question, context) {
    return question.entitlement.gate === null || isSubscribed(question, context);
  },

  async findDenial(question, context) {
    const { gate } = question.entitlement;
    if (gate === null || (await isSubscribed(question, context))) return null;
    return { reasons: ['plan_required'], meta: { requiredPlans: [...gate] } };
  },
};

async function isSubscribed(question: AccessQuestion, context: LayerContext): Promise<boolean> {
  const state = await readTenantState(question, context);
  return state !== null && passesGate(question.entitlement.gate, state.plans);
}
