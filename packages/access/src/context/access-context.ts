import { type LoggerOption, toLogger } from '@x/errors';
import type { Page, Resource } from '@x/store';
import type { ConditionRow, Where } from '@x/store/where';
import type { AccessSet } from '../access-set/access-set.ts';
import { can, canAll, isAllowed, type Decisions } from '../decision/can.ts';
import { check, checkAll, checkEach, type RecordRequest } from '../decision/check.ts';
import {
  type CheckRequest,
  createEvaluationContext,
  type EvaluationContext,
  type EvaluationOptions,
  isKnownResource,
} from '../decision/question.ts';
import type { AccessModel, EntitlementName, EntityType, ModelResource } from '../definition/access-model.ts';
import { toRoleRequirement } from '../definition/compile-access.ts';
import type { AccessCheck } from '../outcome/access-check.ts';
import { AuthorizationError } from '../outcome/authorization-error.ts';
import { readAccessSet } from './compute-access-set.ts';
import {
  canAndConsume,
  consume,
  type ConsumeContext,
  type ConsumeOptions,
  type ConsumeResult,
  Receipts,
  unconsume,
  type UnconsumeOptions,
} from './consume.ts';
import { type AccessTrace, explain } from './explain.ts';
import { filter, filterByRoles, filterByRolesOf, type FilteredRows, type RoleFilter } from './filter.ts';
import {
  type AccessPageOptions,
  type FoundResource,
  type FoundUser,
  lookup,
  type LookupOptions,
  who,
} from './lookup.ts';

/** One of several entitlements that are checked together. */
export interface EntitlementCheck<Model extends AccessModel = AccessModel> extends CheckRequest {
  readonly entitlement: EntitlementName<Model>;
  readonly resource?: ModelResource<Model> | undefined;
}

/** Several entitlements on one record. Records that share the same array of entitlements are checked faster. */
export interface RecordChecks<Model extends AccessModel = AccessModel> extends RecordRequest {
  readonly entitlements: readonly EntitlementName<Model>[];
  readonly resource?: ModelResource<Model> | undefined;
}

/**
 * The access of one user, for the duration of one request: nothing is read twice.
 *
 * Without a resource, an entitlement is checked on the user's current tenant. `row` is the record that the rules of an
 * entitlement are evaluated on; without one, an entitlement with rules is denied. Undefined entitlements are denied,
 * and so are callers who are not signed in.
 *
 * Methods reject if a store fails, except `can`, `canAll` and `canAndConsume`, which deny and log.
 *
 * @example
 * ```ts
 * const project = { type: 'project', id } as const;
 * if (await access.can('project:update', project)) await rename(id);
 * const { reasons } = await access.check('project:update', project); // ['role_required']
 * const where = await access.filter('project:read', { type: 'project' }); // for the query of a list
 * const { items, nextCursor } = await access.who('project:read', project, { limit: 100 }); // [{ userId, way }]
 * const { allowed, receipt } = await access.consume('project:export', project, { idempotencyKey });
 * ```
 */
export interface AccessContext<Model extends AccessModel = AccessModel> {
  /** Null if the caller is not signed in. */
  readonly userId: string | null;

  /** Says whether the user has an entitlement, stopping at the first denial. */
  can(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<boolean>;

  /** Returns all reasons for a denial, the most actionable first. */
  check(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<AccessCheck>;

  /** Throws `AuthorizationError` if the user does not have the entitlement. */
  authorize(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<void>;

  /**
   * Does {@link can} for up to 100 checks at once. If a store fails, all are denied.
   *
   * @throws CodedError `VALIDATION_FAILED` for more than 100, before anything is read
   */
  canAll(checks: readonly EntitlementCheck<Model>[]): Promise<Decisions<Model>>;

  /** Does {@link check} for any number of checks, in their order, with at most 5 store calls. */
  checkAll(checks: readonly EntitlementCheck<Model>[]): Promise<readonly AccessCheck[]>;

  /**
   * Consumes an entitlement if the user has it and enough is left of all its limits, and says whether it did. Consumes
   * from all limits or from none, and from none if another layer denies. After a failure of a store it may have been
   * consumed nevertheless, so pass an idempotency key to retry safely.
   *
   * @throws CodedError `VALIDATION_FAILED` if the amount is not a positive safe integer
   */
  canAndConsume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: ConsumeOptions,
  ): Promise<boolean>;

  /**
   * Consumes an entitlement as {@link canAndConsume} does, and returns the reasons for a denial, or a receipt.
   *
   * @throws CodedError `VALIDATION_FAILED` if the amount is not a positive safe integer, `CONFLICT` if the key was used
   *   with another amount
   */
  consume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: ConsumeOptions,
  ): Promise<ConsumeResult>;

  /**
   * Takes a consumption back, once, from the periods it was consumed in: that of the receipt, or else the last one of
   * this context. Without either, or with `consumedAt`, it credits the periods that have not ended since, never below
   * 0. A receipt alone identifies the consumption: the entitlement, the resource and the amount do not matter then.
   * Says whether there was a consumption to take back.
   *
   * @throws CodedError `VALIDATION_FAILED` if the amount is not a positive safe integer, before anything is read
   */
  unconsume(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    options?: UnconsumeOptions,
  ): Promise<boolean>;

  /** Checks all entitlements in the user's current tenant, with at most 5 store calls. */
  readAccessSet(): Promise<AccessSet>;

  /** Explains a decision: every path to every role, and the state of every layer. */
  explain(
    entitlement: EntitlementName<Model>,
    resource?: ModelResource<Model>,
    row?: ConditionRow,
  ): Promise<AccessTrace>;

  /**
   * Looks up the resources of a type on which any user has an entitlement, a page at a time, in the order of their ids.
   * The meaning is that of {@link can}, without a record. A resource is known if it has a role or a place in the
   * hierarchy.
   *
   * A caller who follows the cursors until there is none visits each resource that the user has throughout, once. A
   * page may have fewer items than its limit, or none: those that plans, limits or flags deny are left out. It reads
   * the roles with two store calls however many resources there are; flags, plans and limits with one each where the
   * entitlement depends on them.
   *
   * Resources of every user can be looked up, so check first whether the caller may know them.
   *
   * @throws CodedError `INVALID_QUERY` for a page that can't be; `VALIDATION_FAILED` for an entitlement that needs no
   *   role or has rules on records; `QUERY_TOO_EXPENSIVE` after two seconds
   */
  lookup<Type extends EntityType<Model>>(
    userId: string,
    entitlement: EntitlementName<Model>,
    options: LookupOptions<Type>,
  ): Promise<Page<FoundResource<Type>>>;

  /**
   * Looks up the users with an entitlement on a resource, a page at a time, in the order of the ids of users. The
   * meaning and the errors are those of {@link lookup}; it reads the roles with one store call.
   *
   * Resources of every user can be looked up, so check first whether the caller may know the users of this one.
   */
  who(
    entitlement: EntitlementName<Model>,
    resource: ModelResource<Model>,
    options?: AccessPageOptions,
  ): Promise<Page<FoundUser>>;

  /**
   * Builds the condition for lists of resources of a type: the rows on which the user has an entitlement. Flags, plans
   * and limits are checked for the tenant of each resource on which the user was given a role, which must be the tenant
   * of the rows below it, too; if no role is needed, for their current tenant.
   */
  filter(entitlement: EntitlementName<Model>, rows: FilteredRows<EntityType<Model>>): Promise<Where>;

  /** Functions for code that lists and writes records itself, such as `@x/entity`. */
  readonly records: RecordAccess<Model>;
}

/** Checks many records at once, and builds the conditions of statements on them. */
export interface RecordAccess<Model extends AccessModel = AccessModel> {
  /**
   * Does {@link AccessContext.check} for several entitlements on each of many records, such as a page of a list, in
   * their order and with at most 5 store calls. Records with the same outcome may share one array.
   */
  checkEach(records: readonly RecordChecks<Model>[]): Promise<readonly (readonly AccessCheck[])[]>;

  /** Does {@link AccessContext.can}, but rejects if a store fails: a record that can't be looked at is not missing. */
  isAllowed(entitlement: EntitlementName<Model>, resource?: ModelResource<Model>, row?: ConditionRow): Promise<boolean>;

  /** Says whether the user has one of the roles on a resource, inherited ones included. */
  hasRole(roles: readonly string[], resource: ModelResource<Model>): Promise<boolean>;

  /** Does {@link hasRole} for many resources, in their order, with one store call. */
  hasRoleOnEach(roles: readonly string[], resources: readonly ModelResource<Model>[]): Promise<readonly boolean[]>;

  /** Returns the id of the tenant of a resource, whose plans and limits apply there; null if it has none. */
  tenantOf(resource: ModelResource<Model>): Promise<string | null>;

  /** Builds the condition of the rows on which the user has one of the roles, inherited ones included. */
  filterByRoles(roles: readonly string[], rows: FilteredRows<EntityType<Model>>): Where;

  /**
   * Builds the part of {@link AccessContext.filter} that depends on roles, without reading anything. Add it to the
   * statement that writes a record after {@link AccessContext.check}, so that a role revoked in between still prevents
   * the write.
   */
  filterByRolesOf(entitlement: EntitlementName<Model>, rows: FilteredRows<EntityType<Model>>): RoleFilter;
}

/** The user whose access is decided, and the stores it is read from. */
export interface AccessContextOptions<Model extends AccessModel = AccessModel> extends EvaluationOptions<Model> {
  /** Logs failures of a store. Default: the console; `false` logs nothing. */
  readonly logger?: LoggerOption;
}

/**
 * Creates the access context of one request.
 *
 * @example
 * ```ts
 * const access = createAccessContext({ userId, definition, roleStore, closureStore, orgResolver });
 * if (await access.can('project:update', { type: 'project', id })) await rename(id);
 * ```
 */
export function createAccessContext<Model extends AccessModel>(
  options: AccessContextOptions<Model>,
): AccessContext<Model> {
  const { walletStore: wallets, closureStore } = options;
  const logger = toLogger(options.logger);
  const context: ConsumeContext = { ...createEvaluationContext(options), wallets, receipts: new Receipts() };
  const { caller } = context;
  return {
    userId: caller.userId,

    can: (entitlement, resource, row) => can(context, { entitlement, resource, row }, logger),

    check: (entitlement, resource, row) => check(context, { entitlement, resource, row }),

    async authorize(entitlement, resource, row) {
      const outcome = await check(context, { entitlement, resource, row });
      if (!outcome.allowed) throw new AuthorizationError(entitlement, caller.userId ?? undefined, outcome);
    },

    canAll: (checks) => canAll(context, checks, logger),

    checkAll: (checks) => checkAll(context, checks),

    canAndConsume: (entitlement, resource, { row, ...amount } = {}) =>
      canAndConsume(context, { entitlement, resource, row }, amount, logger),

    consume: (entitlement, resource, { row, ...amount } = {}) =>
      consume(context, { entitlement, resource, row }, amount),

    unconsume: (entitlement, resource, which = {}) => unconsume(context, { entitlement, resource }, which),

    readAccessSet: () => readAccessSet(context),

    explain: (entitlement, resource, row) => explain(context, { entitlement, resource, row }, closureStore),

    lookup: (userId, entitlement, asked) =>
      lookup(createEvaluationContext({ ...options, userId, session: {} }), entitlement, asked, caller.userId),

    who: (entitlement, resource, asked = {}) =>
      who(
        createEvaluationContext({ ...options, userId: null, session: {} }),
        { entitlement, resource },
        asked,
        caller.userId,
      ),

    filter: (entitlement, rows) => filter(context, entitlement, rows),

    records: {
      checkEach: (records) => checkEach(context, records),

      isAllowed: async (entitlement, resource, row) => isAllowed(context, { entitlement, resource, row }),

      hasRole: (roles, resource) => hasRole(context, roles, resource),

      hasRoleOnEach: (roles, resources) => hasRoleOnEach(context, roles, resources),

      tenantOf: async (resource) => (await context.reads.tenantOf(resource))?.id ?? null,

      filterByRoles: (roles, rows) => filterByRoles(context, roles, rows),

      filterByRolesOf: (entitlement, rows) => filterByRolesOf(context, entitlement, rows),
    },
  };
}

async function hasRole(
  { access, caller, reads }: EvaluationContext,
  roles: readonly string[],
  resource: Resource,
): Promise<boolean> {
  if (caller.userId === null || !isKnownResource(access, resource)) return false;
  return reads.roles.hasRole(resource, toRoleRequirement(access, resource.type, roles));
}

async function hasRoleOnEach(
  { access, caller, reads }: EvaluationContext,
  roles: readonly string[],
  resources: readonly Resource[],
): Promise<readonly boolean[]> {
  if (caller.userId === null) return resources.map(() => false);
  const known = resources.filter((resource) => isKnownResource(access, resource));
  await reads.roles.loadBatched(known);
  const types = new Set(known.map(({ type }) => type));
  const requirements = new Map(Array.from(types, (type) => [type, toRoleRequirement(access, type, roles)]));
  return Promise.all(
    resources.map(async (resource) => {
      const requirement = isKnownResource(access, resource) && requirements.get(resource.type);
      return requirement ? reads.roles.hasRole(resource, requirement) : false;
    }),
  );
}
