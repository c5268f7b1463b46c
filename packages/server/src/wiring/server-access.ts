import {
  type AccessContext,
  type AccessDefinition,
  type AccessModel,
  anonymous,
  createAccessContext,
  hashAccessSet,
  type OrgLookup,
  type RuleCaller,
} from '@x/access';
import { encodeAccessSet } from '@x/access/access-set';
import type { AccessSetPort, Principal } from '@x/auth';
import type { Awaitable, Logger } from '@x/errors';
import type { Resource, Stores, TransactionStores } from '@x/store';
import type { Context } from 'hono';

/** Who may do what in an app, and which tenant a resource belongs to. */
export interface AccessSetup<Model extends AccessModel = AccessModel> {
  readonly definition: AccessDefinition<Model>;
  /** Default: that of `organizations`; without them, nothing belongs to a tenant. */
  readonly orgResolver?: ServerOrgResolver;
}

/** Finds the tenant of a resource or, without one, the caller's current tenant; null if there is none. */
export type ServerOrgResolver = (
  resource: Resource | undefined,
  lookup: ServerOrgLookup,
) => Awaitable<string | Resource | null | undefined>;

/** What a resolver can find out about the resource and the caller. */
export interface ServerOrgLookup extends OrgLookup {
  readonly caller: RuleCaller;
  /** In a transaction, its stores. */
  readonly stores: TransactionStores;
}

/** Creates access contexts. A context never reads anything twice, so use it for one request only. */
export interface ServerAccess<Model extends AccessModel = AccessModel> {
  readonly definition: AccessDefinition<Model>;

  /**
   * Creates the access context of a caller, for one request or any other step.
   *
   * @param stores - in a transaction, its stores: its own writes are visible, and what is consumed commits with it
   */
  readonly contextFor: (caller: RuleCaller, stores?: TransactionStores) => AccessContext<Model>;

  /** Returns the one access context of a request, for example for `requireEntitlement` of `@x/access/hono`. */
  readonly contextOf: (c: Context) => Promise<AccessContext<Model>>;
}

/** What the access of a server works with. */
export interface ServerAccessOptions<Model extends AccessModel> extends AccessSetup<Model> {
  readonly orgResolver: ServerOrgResolver;
  readonly stores: Stores;
  readonly callerOf: (c: Context) => Awaitable<Principal | null>;
  readonly logger: Logger;
}

/** Creates the provider of access contexts, with the clock of the stores. */
export function createServerAccess<Model extends AccessModel>({
  definition,
  orgResolver,
  stores: outside,
  callerOf,
  logger,
}: ServerAccessOptions<Model>): ServerAccess<Model> {
  const opened = new WeakMap<Request, Promise<AccessContext<Model>>>();
  const contextFor = (caller: RuleCaller, stores: TransactionStores = outside): AccessContext<Model> =>
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
    });
  const open = async (c: Context): Promise<AccessContext<Model>> => contextFor((await callerOf(c)) ?? anonymous);
  return {
    definition,
    contextFor,
    contextOf(c) {
      const context = opened.get(c.req.raw) ?? open(c);
      opened.set(c.req.raw, context);
      return context;
    },
  };
}

/** Builds the port through which auth gets the access sets of its users; auth and access do not know each other. */
export function toAccessSetPort({ contextFor }: Pick<ServerAccess, 'contextFor'>): AccessSetPort {
  return async (subject) => {
    const set = encodeAccessSet(await contextFor(subject).readAccessSet());
    return { set, hash: hashAccessSet(set) };
  };
}
