import { type Resource, toUserId } from '@x/store';
import { all, and, granted, none, type Where } from '@x/store/where';
import { tenantLayers } from '../decision/evaluate.ts';
import { loadAll } from '../decision/layer.ts';
import type { EvaluationContext } from '../decision/question.ts';
import type { CompiledEntitlement, RoleRequirement } from '../definition/compile-access.ts';
import { toWhere } from '../rule/to-where.ts';

/** The part of an entitlement that depends on roles. */
export interface RoleFilter {
  readonly where: Where;
  /** Whether the entitlement depends on nothing else: no flag, plan, limit or rule. */
  readonly isWhole: boolean;
}

/** The entitlement and the rows that a filter is for. */
export interface FilterQuestion {
  /** Undefined if the name is not defined. */
  readonly entitlement: CompiledEntitlement | undefined;
  readonly type: string;
  /** The column with the id of the resource. */
  readonly column: string;
}

/** Builds the condition for the rows on which the caller has an entitlement. */
export async function filter(question: FilterQuestion, context: EvaluationContext): Promise<Where> {
  const { entitlement } = question;
  const { caller, now } = context;
  if (caller.userId === null || !entitlement) return none;
  const allowed = await filterByLayers(question, entitlement, context);
  if (!entitlement.rule) return allowed;
  return and(
    allowed,
    toWhere(entitlement.rule, { caller, now: now(), whereEntitled: () => none, whereRole: () => none }),
  );
}

/** Rows of a tenant whose flags, plans or limits deny the entitlement are left out. */
async function filterByLayers(
  question: FilterQuestion,
  entitlement: CompiledEntitlement,
  context: EvaluationContext,
): Promise<Where> {
  const byRole = toRoleCondition(question, entitlement, context.caller.userId ?? '');
  if (byRole.type === 'constant')
    return byRole.value && (await passesTenantLayers(null, entitlement, context)) ? all : none;
  if (byRole.type !== 'granted' || !dependsOnTenant(entitlement)) return byRole;
  const assigned = await context.reads.roles.listAssigned(entitlement.on.get(question.type)?.sources ?? []);
  const questions = assigned.map((resource) => ({ entitlement, resource, row: null }));
  await loadAll(tenantLayers, questions, context);
  const passing = await Promise.all(assigned.map((resource) => passesTenantLayers(resource, entitlement, context)));
  const from = assigned.filter((_, index) => passing[index]);
  if (from.length === 0) return none;
  return from.length === assigned.length ? byRole : granted(byRole.column, { ...byRole.resources, from });
}

function dependsOnTenant({ flags, gate, isLimited }: CompiledEntitlement): boolean {
  return flags.length > 0 || gate !== null || isLimited;
}

/** Evaluates the layers whose decision is the same for all resources of a tenant. */
async function passesTenantLayers(
  resource: Resource | null,
  entitlement: CompiledEntitlement,
  context: EvaluationContext,
): Promise<boolean> {
  for (const layer of tenantLayers) {
    if (!(await layer.passes({ entitlement, resource, row: null }, context))) return false;
  }
  return true;
}

/** Builds the condition for the rows on which the caller has a sufficient role, without the other layers. */
export function filterByRole(question: FilterQuestion, { caller }: EvaluationContext): RoleFilter {
  const { entitlement } = question;
  if (caller.userId === null || !entitlement) return { where: none, isWhole: true };
  return { where: toRoleCondition(question, entitlement, caller.userId), isWhole: entitlement.needsRolesOnly };
}

/** Builds the condition for the rows on which the caller has one of the roles. */
export function filterByRoles(required: RoleRequirement, column: string, { caller }: EvaluationContext): Where {
  return caller.userId === null ? none : toGranted(required, column, caller.userId);
}

function toRoleCondition({ type, column }: FilterQuestion, entitlement: CompiledEntitlement, userId: string): Where {
  if (!entitlement.needsRole) return all;
  const required = entitlement.on.get(type);
  return required ? toGranted(required, column, userId) : none;
}

function toGranted({ type, roles, inheritance }: RoleRequirement, column: string, userId: string): Where {
  // The id was converted to that of the stores when the context was created.
  return granted(column, { userId: toUserId(userId), type, roles: [...roles], inheritance });
}
