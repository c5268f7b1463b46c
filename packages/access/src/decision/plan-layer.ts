import type { Denial } from '../outcome/access-check.ts';
import type { PlanGate } from '../plan/compile-plans.ts';
import { passesGate } from '../plan/effective-plans.ts';
import type { Layer } from './layer.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';
import { loadTenants, readTenantState } from './tenant-state.ts';

/** Checks that a plan or add-on of the tenant includes the entitlement. Without a tenant there is none. */
export const planLayer: Layer = {
  load: loadTenants,

  findDenial(context, question) {
    const { gate } = question.entitlement;
    return gate && findMissingPlan(context, question, gate);
  },
};

async function findMissingPlan(
  context: EvaluationContext,
  question: AccessQuestion,
  gate: PlanGate,
): Promise<Denial | null> {
  const passes = await isSubscribed(context, question, gate);
  return passes ? null : { reasons: ['plan_required'], meta: { requiredPlans: [...gate.plans] } };
}

async function isSubscribed(context: EvaluationContext, question: AccessQuestion, gate: PlanGate): Promise<boolean> {
  if (gate.allowsAll) return (await context.reads.tenantOf(question.resource)) !== null;
  const state = await readTenantState(context, question);
  return state !== null && passesGate(gate, state.plans);
}
