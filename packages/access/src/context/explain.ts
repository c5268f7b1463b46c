import type { AccessQuestion, LayerContext } from '../layer/layer.ts';
import { readTenantState, toCounter, toUsage } from '../layer/tenant-state.ts';
import { toRole, traceRoles } from '../role/trace-roles.ts';
import type { AccessTrace, TracedRolePath } from './access-context.ts';
import type { AccessStores } from './access-sources.ts';
import { type Asked, toQuestion } from './asking.ts';
import { check } from './decide.ts';

/**
 * Explains the outcome of a check. For an undefined entitlement or an anonymous caller, there is nothing to explain.
 */
export async function explain(
  context: LayerContext,
  asked: Asked,
  { closureStore }: Pick<AccessStores, 'closureStore'>,
): Promise<AccessTrace> {
  const question = await toQuestion(context, asked);
  const outcome = await check(context, asked);
  const isAsked = question !== null && context.caller.userId !== null;
  const [rolePaths, ancestors, flags, tenant] = await Promise.all([
    isAsked ? tracePaths(question, context) : [],
    isAsked && question.resource ? closureStore.ancestors(question.resource) : [],
    isAsked ? readFlags(question, context) : {},
    isAsked ? tracePlans(question, context) : noPlans,
  ]);
  const { entitlement } = asked;
  const resource = question?.resource ?? asked.resource ?? null;
  return { ...outcome, entitlement, resource, rolePaths, ancestors, flags, ...tenant };
}

async function tracePaths(
  { entitlement, resource }: AccessQuestion,
  { access, reads }: LayerContext,
): Promise<readonly TracedRolePath[]> {
  if (!resource) return [];
  const { held } = await reads.roles.on(resource);
  const enough = entitlement.on.get(resource.type)?.roles;
  return traceRoles(access, held).map((steps) => {
    const role = toRole(steps);
    return { steps, role, isEnough: enough?.has(role) ?? false };
  });
}

type PlanTrace = Pick<AccessTrace, 'plans' | 'limits'>;

const noPlans: PlanTrace = { plans: null, limits: [] };

async function tracePlans(question: AccessQuestion, context: LayerContext): Promise<PlanTrace> {
  const { gate, isLimited, name } = question.entitlement;
  const state = gate !== null || isLimited ? await readTenantState(question, context) : null;
  if (!state) return noPlans;
  const { basePlans, addOns, incompatible } = state.plans;
  const consumed = await context.reads.countersOf(state.limits.map((limit) => toCounter(state.tenantId, limit)));
  const limitNames = new Set([name, ...state.limits.map(({ limit }) => limit.name)]);
  const { overrides } = await context.reads.plansOf(state.tenantId);
  return {
    plans: {
      basePlans: Array.from(basePlans, ([group, { plan, isFallback }]) => ({ group, name: plan.name, isFallback })),
      addOns: addOns.map(({ addOn, quantity }) => ({ name: addOn.name, quantity })),
      incompatible,
      overrides: overrides.filter((override) => limitNames.has(override.name)),
      enough: gate && [...gate.plans],
    },
    limits: state.limits.map((limit, index) => toUsage(limit, consumed[index] ?? 0)),
  };
}

async function readFlags(
  { entitlement, resource }: AccessQuestion,
  { reads }: LayerContext,
): Promise<Readonly<Record<string, boolean | null>>> {
  if (!reads.hasFlags || entitlement.flags.length === 0) return {};
  const tenant = await reads.tenantOf(resource);
  const values = await reads.flagsOf(tenant?.id ?? null, entitlement.flags);
  return Object.fromEntries(entitlement.flags.map((name, index) => [name, values[index] ?? null]));
}
