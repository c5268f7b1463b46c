import type { AttachedAddOn, LimitOverride, RelatedResource, Resource } from '@x/store';
import type { AccessCheck, LimitUsage } from '../outcome/access-check.ts';
import { check } from '../decision/check.ts';
import { toFlagKeys } from '../decision/flag-layer.ts';
import { type AccessQuestion, type CheckRequest, type EvaluationContext, toQuestion } from '../decision/question.ts';
import { readTenantState, toCounter, toUsage } from '../decision/tenant-state.ts';
import type { AccessStores } from '../reads/access-reads.ts';
import { findPaths, type RolePath, roleOf } from './role-paths.ts';

/** Why the caller has an entitlement on a resource, or is denied it. */
export interface AccessTrace extends AccessCheck {
  readonly entitlement: string;
  /** Null if it is about no resource. */
  readonly resource: Resource | null;
  /** How the user gets each role on the resource, the shortest paths first. */
  readonly rolePaths: readonly TracedRolePath[];
  /** Everything above the resource, the nearest first. */
  readonly ancestors: readonly RelatedResource[];
  /** The entitlement's flags for the tenant; null for a flag that is not set. */
  readonly flags: Readonly<Record<string, boolean | null>>;
  /**
   * The plans that apply to the tenant; null if the entitlement needs no plan and has no limit, or there is no tenant.
   */
  readonly plans: TracedPlans | null;
  /** The current state of all limits that gate the entitlement. */
  readonly limits: readonly LimitUsage[];
}

/** One path on which a user gets a role. */
interface TracedRolePath {
  readonly steps: RolePath;
  readonly role: string;
  /** Whether the role is enough for the entitlement. */
  readonly isEnough: boolean;
}

/** The plans that apply to a tenant, and those that would include an entitlement. */
interface TracedPlans {
  readonly basePlans: readonly TracedPlan[];
  readonly addOns: readonly AttachedAddOn[];
  /** The tenant's add-ons that do not count, because they do not fit its plans. */
  readonly incompatible: readonly string[];
  /** The tenant's overrides, by the names of limits or of the entitlements that they gate. */
  readonly overrides: readonly LimitOverride[];
  /** The plans and add-ons of which any one is enough; null if none is needed. */
  readonly enough: readonly string[] | null;
}

/** The plan of one group. */
interface TracedPlan {
  readonly group: string;
  readonly name: string;
  /** Whether it is the fallback, because the tenant has no other plan in the group. */
  readonly isFallback: boolean;
}

/** Explains the outcome of a check. For an undefined entitlement or an anonymous caller, it traces nothing. */
export async function explain(
  context: EvaluationContext,
  request: CheckRequest,
  hierarchy: AccessStores['closureStore'],
): Promise<AccessTrace> {
  const question = await toQuestion(context, request);
  const outcome = await check(context, request);
  const traced = context.caller.userId === null ? null : question;
  const [rolePaths, ancestors, flags, plans] = await Promise.all([
    traced ? traceRoles(context, traced) : [],
    traced?.resource ? hierarchy.ancestors(traced.resource) : [],
    traced ? traceFlags(context, traced) : {},
    traced ? tracePlans(context, traced) : noPlans,
  ]);
  const { entitlement } = request;
  const resource = question?.resource ?? request.resource ?? null;
  return { ...outcome, entitlement, resource, rolePaths, ancestors, flags, ...plans };
}

async function traceFlags(
  context: EvaluationContext,
  question: AccessQuestion,
): Promise<Readonly<Record<string, boolean | null>>> {
  const { flags } = question.entitlement;
  if (!context.reads.hasFlags || flags.length === 0) return {};
  const values = await context.reads.flagsOf(await toFlagKeys(context, question));
  return Object.fromEntries(flags.map((name, index) => [name, values[index] ?? null]));
}

type PlanTrace = Pick<AccessTrace, 'plans' | 'limits'>;

const noPlans: PlanTrace = { plans: null, limits: [] };

async function tracePlans(context: EvaluationContext, question: AccessQuestion): Promise<PlanTrace> {
  const { gate, isLimited, name } = question.entitlement;
  const state = gate !== null || isLimited ? await readTenantState(context, question) : null;
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

async function traceRoles(
  { access, reads }: EvaluationContext,
  { entitlement, resource }: AccessQuestion,
): Promise<readonly TracedRolePath[]> {
  if (!resource) return [];
  const { granted } = await reads.roles.read(resource);
  const enough = entitlement.requirements.get(resource.type)?.roles;
  return findPaths({ access, known: new Map() }, granted).map((steps) => {
    const role = roleOf(steps);
    return { steps, role, isEnough: enough?.has(role) ?? false };
  });
}
