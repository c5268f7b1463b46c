import { type Awaitable, type LoggerOption, refuseUnknownOptions, toLogger } from '@x/errors';
import type { Resource, Stores, TransactionStores } from '@x/store';
import type { AccessModel } from '../definition/access-model.ts';
import type { AccessDefinition } from '../definition/define-access.ts';
import type { OrgLookup } from '../reads/access-reads.ts';
import type { RuleCaller } from '../rule/rules.ts';
import { type AccessContext, createAccessContext } from './access-context.ts';

/** Finds the tenant of a resource or, without one, the caller's current tenant; null if there is none. */
export type CallerOrgResolver = (
  resource: Resource | undefined,
  lookup: CallerOrgLookup,
) => Awaitable<string | Resource | null | undefined>;

/** The lookups of a resolver about the resource and the caller. */
export interface CallerOrgLookup extends OrgLookup {
  readonly caller: RuleCaller;
  /** In a transaction, its stores. */
  readonly stores: TransactionStores;
}

/** Options of {@link createAccessContextFactory}: what all access contexts of an app have in common. */
export interface AccessContextFactoryOptions<Model extends AccessModel = AccessModel> {
  readonly definition: AccessDefinition<Model>;
  readonly stores: Stores;
  /** Default: nothing belongs to a tenant. */
  readonly orgResolver?: CallerOrgResolver | undefined;
  /** Logs failures of a store. Default: the console; `false` logs nothing. */
  readonly logger?: LoggerOption;
}

/** Creates access contexts. A context never reads anything twice, so use it for one request only. */
export interface AccessContextFactory<Model extends AccessModel = AccessModel> {
  readonly definition: AccessDefinition<Model>;

  /**
   * Creates the access context of a caller, for one request or any other step.
   *
   * @param stores - in a transaction, its stores: its own writes are visible, and what is consumed commits with it
   */
  contextFor(caller: RuleCaller, stores?: TransactionStores): AccessContext<Model>;
}

/**
 * Creates the factory of all access contexts of an app, with the clock of the stores.
 *
 * @throws ConfigurationError naming every unknown option
 * @example
 * ```ts
 * const contexts = createAccessContextFactory({ definition, stores, orgResolver });
 * const access = contexts.contextFor({ ...anonymous, userId });
 * ```
 */
export function createAccessContextFactory<Model extends AccessModel>(
  options: AccessContextFactoryOptions<Model>,
): AccessContextFactory<Model> {
  refuseUnknownOptions(options, { definition: true, stores: true, orgResolver: true, logger: true });
  const { definition, stores: outside, orgResolver = noTenant } = options;
  const logger = toLogger(options.logger);
  return {
    definition,
    contextFor: (caller, stores = outside) =>
      createAccessContext<Model>({
        userId: caller.userId,
        session: caller,
        definition,
        roleStore: stores.roleAssignments,
        closureStore: stores.hierarchy,
        flagStore: stores.flags,
        subscriptionStore: stores.subscriptions,
        walletStore: stores.wallets,
        ...(stores.tenantSnapshots && { tenantSnapshotStore: stores.tenantSnapshots }),
        orgResolver: (resource, lookup) => orgResolver(resource, { ...lookup, caller, stores }),
        now: () => outside.clock.now(),
        logger,
      }),
  };
}

const noTenant: CallerOrgResolver = () => null;
