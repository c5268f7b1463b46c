import { CodedError, notFound, refuseUnknownOptions } from '@x/errors';
import type { MoveOutcome, Resource, RoleAssignment, Stores, TransactionStores } from '@x/store';
import type { AccessModel, EntityRole, EntityType, ModelResource } from '../definition/access-model.ts';
import type { CompiledAccess } from '../definition/compile-access.ts';
import { compiledOf, type AccessDefinition } from '../definition/define-access.ts';
import { assertStorable, invalid, type Operator } from './admin-change.ts';
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

/** The options of the operations. */
export interface AccessAdminOptions<Model extends AccessModel = AccessModel> {
  readonly definition: AccessDefinition<Model>;
  /** In a transaction, pass its stores. */
  readonly stores: AdminStores & Partial<Pick<Stores, 'clock'>>;
  /** Default: the clock of the stores, or of the process if they have none. */
  readonly now?: () => Date;
  /** The most levels that the hierarchy may have. Default 32. */
  readonly maxDepth?: number;
}

/** The stores that the operations change. */
type AdminStores = Pick<
  TransactionStores,
  'roleAssignments' | 'groups' | 'hierarchy' | 'subscriptions' | 'transaction'
>;

/**
 * Changes roles, groups, plans and limits. Each change commits together with its event and takes effect at once. JWTs
 * stay valid, since the entitlements they carry decide nothing. It does not check whether the operator may make the
 * change: the caller must.
 */
export interface AccessAdmin<Model extends AccessModel = AccessModel> extends PlanAdmin<Model>, GroupAdmin {
  /** Assigns a role, logs `role.assigned`, and says whether the user or group did not already have it directly. */
  assign<Type extends EntityType<Model>>(grant: RoleGrant<Model, Type>, operator: Operator): Promise<boolean>;

  /** Revokes a role, logs `role.revoked`, and says whether the user or group had it directly. */
  revoke<Type extends EntityType<Model>>(grant: RoleGrant<Model, Type>, operator: Operator): Promise<boolean>;

  /**
   * Moves a resource, with everything below it, from one parent to another, and logs `resource.moved`. It is for
   * resources that are no records of `@x/entity`: those move by an update of their parent field, which this leaves as
   * it is.
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
 * Creates the operations that change roles, groups, the hierarchy and plans. Names that the definition does not define
 * are `VALIDATION_FAILED`.
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

    assign: async (grant, operator) => stores.roleAssignments.assign(toAssignment(access, grant), operator),

    revoke: async (grant, operator) => stores.roleAssignments.revoke(toAssignment(access, grant), operator),

    async move(resource, ends, operator) {
      assertFits(access, resource, ends.to);
      assertStorable(resource.id, ends.from.id, ends.to.id);
      const { from, to } = ends;
      assertMoved(
        await stores.hierarchy.move(resource, { from, to, ...(maxDepth !== undefined && { maxDepth }) }, operator),
      );
    },
  };
}

function toAssignment(access: CompiledAccess, grant: RoleGrant): RoleAssignment {
  const { resource, role, ...holder } = grant;
  if (!access.types.get(resource.type)?.roles.has(role)) {
    throw invalid(`There is no role ${JSON.stringify(role)} on ${JSON.stringify(resource.type)}.`);
  }
  assertStorable(resource.id);
  return { ...toHolder(holder), resource: { type: resource.type, id: resource.id }, role };
}

/** Under a parent that it inherits nothing from, a resource would be out of every user's reach. */
function assertFits(access: CompiledAccess, child: Resource, parent: Resource): void {
  if (access.types.get(child.type)?.inherits.has(parent.type)) return;
  throw invalid(`${JSON.stringify(child.type)} inherits nothing from ${JSON.stringify(parent.type)}.`);
}

function assertMoved(outcome: MoveOutcome): void {
  if (outcome === 'missing') throw notFound();
  if (outcome === 'cycle') throw new CodedError('CONFLICT', 'A resource cannot be moved below itself.');
  if (outcome === 'too_deep') throw new CodedError('CONFLICT', 'The hierarchy would be too deep.');
}
