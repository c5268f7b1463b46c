import type { Resource, UserId } from '@x/store';
import { all, and, granted, none, type Where } from '@x/store/where';
import type { CompiledEntitlement, RoleRequirement } from '../definition/compile-access.ts';
import type { LayerContext } from '../layer/layer.ts';
import { tenantLayers } from '../layer/layers.ts';
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

/** Builds the condition for the rows on which an entitlement is held. */
export async function filter(question: FilterQuestion, context: LayerContext): Promise<Where> {
  const { entitlement } = question;
  const { caller, now } = context;
  if (caller.userId === null || !entitlement) return none;
  const held = await findHeld(question, entitlement, context);
  if (!entitlement.rule) return held;
  const ruled = toWhere(entitlement.rule, { caller, now: now(), whereEntitled: () => none, whereRole: () => none });
  return and(held, ruled);
}

/** Rows of a tenant whose flags, plans or limits deny the entitlement are left out. */
async function findHeld(
  question: FilterQuestion,
  entitlement: CompiledEntitlement,
  context: LayerContext,
): Promise<Where> {
  const held = toHeld(question, entitlement, context.caller.userId ?? '');
  if (held.type === 'constant') return held.value && (await passesAll(null, entitlement, context)) ? all : none;
  if (held.type !== 'granted' || !asksOfTenants(entitlement)) return held;
  const assigned = await context.reads.roles.assignedIn(entitlement.on.get(question.type)?.sources ?? []);
  const asked = assigned.map((resource) => ({ entitlement, resource, row: null }));
  await Promise.all(tenantLayers.map((layer) => layer.load(asked, context)));
  const passing = await Promise.all(assigned.map((resource) => passesAll(resource, entitlement, context)));
  const from = assigned.filter((_, index) => passing[index]);
  if (from.length === 0) return none;
  return from.length === assigned.length ? held : { ...held, resources: { ...held.resources, from } };
}

function asksOfTenants({ flags, gate, isLimited }: CompiledEntitlement): boolean {
  return flags.length > 0 || gate !== null || isLimited;
}

/** Asks the layers whose answer is the same for all resources of a tenant. */
async function passesAll(
  resource: Resource | null,
  entitlement: CompiledEntitlement,
  context: LayerContext,
): Promise<boolean> {
  for (const layer of tenantLayers) {
    if (!(await layer.passes({ entitlement, resource, row: null }, context))) return false;
  }
  return true;
}

/** Builds the condition for the rows on which the user has a sufficient role, without asking the other layers. */
export function filterByRole(question: FilterQuestion, { caller }: LayerContext): RoleFilter {
  const { entitlement } = question;
  if (caller.userId === null || !entitlement) return { where: none, isWhole: true };
  return { where: toHeld(question, entitlement, caller.userId), isWhole: entitlement.asksRolesOnly };
}

/** Builds the condition for the rows on which the user has one of the roles. */
export function filterByRoles(required: RoleRequirement, column: string, { caller }: LayerContext): Where {
  return caller.userId === null ? none : toCondition(required, column, caller.userId);
}

function toHeld({ type, column }: FilterQuestion, entitlement: CompiledEntitlement, userId: string): Where {
  if (!entitlement.needsRole) return all;
  const required = entitlement.on.get(type);
  return required ? toCondition(required, column, userId) : none;
}

function toCondition({ type, roles, inheritance }: RoleRequirement, column: string, userId: string): Where {
  // The id was converted to that of the stores when the context was created.
  return granted(column, { userId: userId as UserId, type, roles: [...roles], inheritance });
}
