import type { Resource } from '@x/store';
import type { AccessCheck } from '../decision/access-check.ts';
import type { CompiledAccess } from '../definition/compile-access.ts';
import type { AccessQuestion, LayerContext } from '../layer/layer.ts';
import { readTenantState, toCounter, toUsage } from '../layer/tenant-state.ts';
import { toRole, traceRoles } from '../role/trace-roles.ts';
import type { AccessTrace, TracedWay } from './access-context.ts';
import type { AccessSources } from './access-sources.ts';

/** What is to be explained. */
export interface Explanation {
  readonly entitlement: string;
  readonly resource: Resource | null;
  /** Null where what was asked is not defined. */
  readonly question: AccessQuestion | null;
  readonly check: AccessCheck;
  readonly access: CompiledAccess;
  readonly context: LayerContext;
  readonly sources: AccessSources;
}

/** Tells what led to the outcome of a check. */
export async function explain(explanation: Explanation): Promise<AccessTrace> {
  const { entitlement, resource, question, check, context } = explanation;
  const isAsked = question !== null && context.caller.userId !== null;
  const [ways, ancestors, flags, tenant] = await Promise.all([
    isAsked ? traceWays(question, explanation) : [],
    isAsked && question.resource ? explanation.sources.closureStore.ancestors(question.resource) : [],
    isAsked ? readFlags(question, context) : {},
    isAsked ? tracePlans(question, context) : noPlans,
  ]);
  return { ...check, entitlement, resource, ways, ancestors, flags, ...tenant };
}

async function traceWays(
  { entitlement, resource }: AccessQuestion,
  { access, context }: Explanation,
): Promise<readonly TracedWay[]> {
  if (!resource) return [];
  const { held } = await context.reads.roles.on(resource);
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
      enough: gate && [...gate],
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
