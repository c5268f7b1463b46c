import { silentLogger, type Logger } from '@x/errors';
import type { Resource } from '@x/store';
import { AuthorizationError } from '../decision/authorization-error.ts';
import type { AccessModel } from '../definition/access-model.ts';
import { toRequiredRoles } from '../definition/compile-access.ts';
import type { AccessContext } from './access-context.ts';
import { can, canAll } from './answer-or-deny.ts';
import { isKnown, openAsking, type AskingOptions } from './asking.ts';
import { checkAll } from './check-all.ts';
import { checkEach } from './check-each.ts';
import { check } from './decide.ts';
import { explain } from './explain.ts';
import { filter, filterByRole, filterByRoles } from './filter.ts';
import { KeptReceipts } from './kept-receipts.ts';
import { readAccessSet } from './read-access-set.ts';
import { canUse, takeBack, useEntitlement, type UseParts } from './use-entitlement.ts';

/** Whose access it is, and the stores it is read from. */
export interface AccessContextOptions<Model extends AccessModel = AccessModel> extends AskingOptions<Model> {
  /** Logs failures of a store. Default: nothing is logged. */
  readonly logger?: Logger;
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
  const asking = openAsking(options);
  const { logger = silentLogger, walletStore: wallets } = options;
  const uses: UseParts = { context: asking, receipts: new KeptReceipts(), wallets };
  const hasRole = async (roles: readonly string[], resource: Resource): Promise<boolean> => {
    if (asking.caller.userId === null || !isKnown(asking.access, resource)) return false;
    return asking.reads.roles.holds(resource, toRequiredRoles(asking.access, resource.type, roles));
  };
  return {
    userId: asking.caller.userId,

    can: (entitlement, resource, row) => can(asking, { entitlement, resource, row }, logger),

    check: (entitlement, resource, row) => check(asking, { entitlement, resource, row }),

    async authorize(entitlement, resource, row) {
      const outcome = await check(asking, { entitlement, resource, row });
      if (!outcome.allowed) throw new AuthorizationError(entitlement, asking.caller.userId ?? undefined, outcome);
    },

    canAndConsume: (entitlement, resource, { row, ...how } = {}) =>
      canUse(uses, { entitlement, resource, row }, how, logger),

    consume: (entitlement, resource, { row, ...how } = {}) => useEntitlement(uses, { entitlement, resource, row }, how),

    unconsume: (entitlement, resource, which = {}) => takeBack(uses, { entitlement, resource }, which),

    canAll: (checks) => canAll(asking, checks, logger),

    checkAll: (checks) => checkAll(asking, checks),

    checkEach: (checks) => checkEach(asking, checks),

    readAccessSet: () => readAccessSet(asking),

    explain: (entitlement, resource, row) => explain(asking, { entitlement, resource, row }, options),

    filter: (entitlement, type, column = 'id') =>
      filter({ entitlement: asking.access.entitlements.get(entitlement), type, column }, asking),

    filterByRole: (entitlement, type, column = 'id') =>
      filterByRole({ entitlement: asking.access.entitlements.get(entitlement), type, column }, asking),

    filterByRoles: (roles, type, column = 'id') =>
      filterByRoles(toRequiredRoles(asking.access, type, roles), column, asking),

    hasRole,

    async hasRoleOnEach(roles, resources) {
      const known = resources.filter((resource) => isKnown(asking.access, resource));
      if (asking.caller.userId !== null) await asking.reads.roles.load(known);
      return Promise.all(resources.map((resource) => hasRole(roles, resource)));
    },
  };
}
