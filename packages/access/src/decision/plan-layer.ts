import { type Awaitable, mapAwaitable } from '@x/errors';
import type { PlanGate } from '../plan/compile-plans.ts';
import { passesGate } from '../plan/effective-plans.ts';
import type { Layer } from './layer.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';
import { loadTenants, readTenantState } from './tenant-state.ts';

/** Checks that a plan or add-on of the tenant includes the entitlement. Without a tenant there is none. */
export const planLayer: Layer = {
  load: loadTenants,

  passes(context, question) {
    const { gate } = question.entitlement;
    return gate === null || isSubscribed(context, question, gate);
  },

  findDenial(context, question) {
    const { gate } = question.entitlement;
    if (gate === null) return null;
    return mapAwaitable(isSubscribed(context, question, gate), (passed) =>
      passed ? null : { reasons: ['plan_required'], meta: { requiredPlans: [...gate.plans] } },
    );
  },
};

function isSubscribed(context: EvaluationContext, question: AccessQuestion, gate: PlanGate): Awaitable<boolean> {
  if (gate.allowsAll) return mapAwaitable(context.reads.tenantOf(question.resource), (tenant) => tenant !== null);
  return mapAwaitable(readTenantState(context, question), (state) => state !== null && passesGate(gate, state.plans));
}
