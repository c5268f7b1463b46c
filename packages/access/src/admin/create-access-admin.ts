import { CodedError, notFound, refuseUnknownOptions } from '@x/errors';
import {
  type HierarchyStore,
  type JsonObject,
  type MoveOutcome,
  type Resource,
  type RoleAssignment,
  type Stores,
  type TransactionStores,
  toUserId,
} from '@x/store';
import type { AccessModel, EntityRole, EntityType, ModelResource } from '../definition/access-model.ts';
import type { CompiledAccess } from '../definition/compile-access.ts';
import { compiledOf, type AccessDefinition } from '../definition/define-access.ts';
import { appendEvent, assertStorable, invalid, type Operator } from './admin-change.ts';
import { createGroupAdmin, type GroupAdmin, type Holder, toHolder } from './create-group-admin.ts';
import { createPlanAdmin, type PlanAdmin } from './create-plan-admin.ts';

/** A role to assign to a user or a group, or to revoke. */
export type RoleGrant<
  Model extends AccessModel = AccessModel,
  Type extends EntityType<Model> = EntityType<Model>,
> = Holder & {
  readonly resource: { readonly type: Type; readonly id: string };
  readonly role: EntityRole<Model, Type>;
};

/** What the operations work with. */
export interface AccessAdminOptions<Model extends AccessModel = AccessModel> {
  readonly definition: AccessDefinition<Model>;
  /** In a transaction, pass its stores. */
  readonly stores: Pick<Stores, 'transaction'> & Partial<Pick<Stores, 'clock'>>;
  /** Default: the clock of the stores, or of the process if they have none. */
  readonly now?: () => Date;
  /** The most levels that the hierarchy may have. Default 32. */
  readonly maxDepth?: number;
}

/**
 * Changes who may do what. Each change commits together with its event and takes effect at once. JWTs stay valid, since the
 * entitlements they carry decide nothing. It does not check whether the operator may do this: the caller must.
 */
export interface AccessAdmin<Model extends AccessModel = AccessModel> extends PlanAdmin<Model>, GroupAdmin {
  /** Assigns a role, logs `role.assigned`, and says whether the user or group did not already have it directly. */
  assign<Type extends EntityType<Model>>(grant: RoleGrant<Model, Type>, operator: Operator): Promise<boolean>;

  /** Revokes a role, logs `role.revoked`, and says whether the user or group had it directly. */
  revoke<Type extends EntityType<Model>>(grant: RoleGrant<Model, Type>, operator: Operator): Promise<boolean>;

  /**
   * Moves a resource, with everything below it, from one parent to another, and logs `resource.moved`.
   *
   * @throws CodedError `NOT_FOUND` if it is not under the first parent, `CONFLICT` if it would be under itself or too
   * deep
   */
  move(
    resource: ModelResource<Model>,
    ends: { readonly from: ModelResource<Model>; readonly to: ModelResource<Model> },
    operator: Operator,
  ): Promise<void>;
}

/**
 * Creates the operations that change roles, groups, the hierarchy and plans. Names that the definition does not define are
 * `VALIDATION_FAILED`.
 *
 * @throws ConfigurationError naming every unknown option
 * @example
 * ```ts
 * const admin = createAccessAdmin({ definition, stores });
 * await admin.assign({ userId, resource: { type: 'project', id }, role: 'viewer' }, { by: callerId, tenantId });
 * ```
 */
export function createAccessAdmin<Model extends AccessModel>(options: AccessAdminOptions<Model>): AccessAdmin<Model> {
  const { definition, stores, now = () => stores.clock?.now() ?? new Date(), maxDepth } = options;
  refuseUnknownOptions(options, { definition, stores, now, maxDepth });
  const access = compiledOf(definition);
  return {
    ...createPlanAdmin({ access, stores, now }),
    ...createGroupAdmin({ stores }),

    async assign(grant, operator) {
      const assignment = toAssignment(access, grant);
      return change(stores, { type: 'role.assigned', assignment, operator }, (inside) =>
        inside.roleAssignments.assign({
          ...assignment,
          grantedBy: operator.by === null ? null : toUserId(operator.by),
        }),
      );
    },

    async revoke(grant, operator) {
      const assignment = toAssignment(access, grant);
      return change(stores, { type: 'role.revoked', assignment, operator }, (inside) =>
        inside.roleAssignments.revoke(assignment),
      );
    },

    async move(resource, ends, operator) {
      assertFits(access, resource, ends.to);
      assertStorable(resource.id, ends.from.id, ends.to.id);
      await stores.transaction(async (inside) => {
        assertMoved(await moveIn(inside.hierarchy, resource, ends, maxDepth));
        const detail = { resource: toJson(resource), from: toJson(ends.from), to: toJson(ends.to), by: operator.by };
        await appendEvent(inside, { type: 'resource.moved', userId: null, tenantId: operator.tenantId, detail });
      });
    },
  };
}

interface RoleChange {
  readonly type: 'role.assigned' | 'role.revoked';
  readonly assignment: RoleAssignment;
  readonly operator: Operator;
}

/** A change without effect is not logged. */
async function change(
  stores: Pick<Stores, 'transaction'>,
  { type, assignment, operator }: RoleChange,
  step: (inside: TransactionStores) => Promise<boolean>,
): Promise<boolean> {
  return stores.transaction(async (inside) => {
    const isChanged = await step(inside);
    if (!isChanged) return false;
    const { userId = null, groupId, resource, role } = assignment;
    const detail = { ...(groupId !== undefined && { groupId }), resource: toJson(resource), role, by: operator.by };
    await appendEvent(inside, { type, userId, tenantId: operator.tenantId, detail });
    return true;
  });
}

function toAssignment(access: CompiledAccess, grant: RoleGrant): RoleAssignment {
  const { resource, role, ...holder } = grant;
  if (!access.types.get(resource.type)?.roles.has(role)) {
    throw invalid(`There is no role ${JSON.stringify(role)} on ${JSON.stringify(resource.type)}.`);
  }
  assertStorable(resource.id);
  return { ...toHolder(holder), resource: { type: resource.type, id: resource.id }, role };
}

/** Under a parent that it inherits nothing from, a resource would be out of everybody's reach. */
function assertFits(access: CompiledAccess, child: Resource, parent: Resource): void {
  if (access.types.get(child.type)?.inherits.has(parent.type)) return;
  throw invalid(`${JSON.stringify(child.type)} inherits nothing from ${JSON.stringify(parent.type)}.`);
}

function moveIn(
  hierarchy: HierarchyStore,
  resource: Resource,
  ends: { readonly from: Resource; readonly to: Resource },
  maxDepth: number | undefined,
): Promise<MoveOutcome> {
  return maxDepth === undefined ? hierarchy.move(resource, ends) : hierarchy.move(resource, ends, maxDepth);
}

function assertMoved(outcome: MoveOutcome): void {
  if (outcome === 'missing') throw notFound();
  if (outcome === 'cycle') throw new CodedError('CONFLICT', 'A resource cannot be moved below itself.');
  if (outcome === 'too_deep') throw new CodedError('CONFLICT', 'The hierarchy would be too deep.');
}

function toJson({ type, id }: Resource): JsonObject {
  return { type, id };
}
