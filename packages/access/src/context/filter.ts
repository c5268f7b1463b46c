import { all, and, granted, none, type Where } from '@x/store/where';
import { loadLayers, passesEach, tenantLayers } from '../decision/layers.ts';
import type { EvaluationContext } from '../decision/question.ts';
import { type CompiledEntitlement, type RoleRequirement, toRoleRequirement } from '../definition/compile-access.ts';
import { toWhere } from '../rule/to-where.ts';

/** The part of an entitlement that depends on roles. */
export interface RoleFilter {
  readonly where: Where;
  /** Whether the entitlement depends on nothing else: no flag, plan, limit or rule. */
  readonly isWhole: boolean;
}

/** The rows that a filter is for. */
export interface FilteredRows<Type extends string = string> {
  /** The type of the resources. */
  readonly type: Type;
  /** The column with the id of the resource. Default `id`. */
  readonly column?: string;
}

/** Builds the condition for the rows on which the caller has an entitlement. */
export async function filter(context: EvaluationContext, name: string, rows: FilteredRows): Promise<Where> {
  const { access, caller, now } = context;
  const entitlement = access.entitlements.get(name);
  if (caller.userId === null || !entitlement) return none;
  const allowed = await filterByLayers(context, entitlement, rows);
  if (!entitlement.rule) return allowed;
  return and(
    allowed,
    toWhere(entitlement.rule, { caller, now: now(), whereEntitled: () => none, whereRole: () => none }),
  );
}

/** Rows of a tenant whose flags, plans or limits deny the entitlement are left out. */
async function filterByLayers(
  context: EvaluationContext,
  entitlement: CompiledEntitlement,
  rows: FilteredRows,
): Promise<Where> {
  const byRole = toRoleCondition(context, entitlement, rows);
  if (byRole.type === 'constant') {
    return byRole.value && (await passesEach(context, tenantLayers, { entitlement, resource: null, row: null }))
      ? all
      : none;
  }
  if (byRole.type !== 'granted' || !dependsOnTenant(entitlement)) return byRole;
  const assigned = await context.reads.roles.listAssigned(entitlement.requirements.get(rows.type)?.sources ?? []);
  const questions = assigned.map((resource) => ({ entitlement, resource, row: null }));
  await loadLayers(context, tenantLayers, questions);
  const passing = await Promise.all(questions.map((question) => passesEach(context, tenantLayers, question)));
  const from = assigned.filter((_, index) => passing[index]);
  if (from.length === 0) return none;
  return from.length === assigned.length ? byRole : granted(byRole.column, { ...byRole.resources, from });
}

function dependsOnTenant({ flags, gate, isLimited }: CompiledEntitlement): boolean {
  return flags.length > 0 || gate !== null || isLimited;
}

/** Builds the condition for the rows on which the caller has a role of an entitlement, without the other layers. */
export function filterByRolesOf(context: EvaluationContext, name: string, rows: FilteredRows): RoleFilter {
  const entitlement = context.access.entitlements.get(name);
  if (context.caller.userId === null || !entitlement) return { where: none, isWhole: true };
  return { where: toRoleCondition(context, entitlement, rows), isWhole: entitlement.needsRolesOnly };
}

/** Builds the condition for the rows on which the caller has one of the roles. */
export function filterByRoles(
  context: EvaluationContext,
  roles: readonly string[],
  { type, column = 'id' }: FilteredRows,
): Where {
  return toGranted(context, toRoleRequirement(context.access, type, roles), column);
}

function toRoleCondition(
  context: EvaluationContext,
  { needsRole, requirements }: CompiledEntitlement,
  { type, column = 'id' }: FilteredRows,
): Where {
  if (!needsRole) return all;
  const required = requirements.get(type);
  return required ? toGranted(context, required, column) : none;
}

function toGranted({ caller, reads }: EvaluationContext, required: RoleRequirement, column: string): Where {
  if (caller.userId === null) return none;
  const { type, roles, inheritance } = required;
  return granted(column, { userId: reads.userId, type, roles: [...roles], inheritance });
}
