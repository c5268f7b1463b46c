import type { Awaitable } from '@x/errors';
import type {
  HierarchyStore,
  FlagStore,
  Resource,
  RoleAssignmentStore,
  TenantSnapshotStore,
  SubscriptionStore,
  WalletStore,
} from '@x/store';

/** Finds the tenant of a resource or, without a resource, the caller's current tenant; null if there is none. */
export type OrgResolver = (
  resource: Resource | undefined,
  lookup: OrgLookup,
) => Awaitable<string | Resource | null | undefined>;

/** What a resolver can find out about the resource. */
export interface OrgLookup {
  /**
   * Returns the ancestors of the resource, the nearest first. They are read together with the roles on it, so this
   * costs a store call only if the roles are not needed, and then one call for all resources that are checked at
   * once.
   */
  readonly ancestors: () => Promise<readonly Resource[]>;
}

/** The stores that an access context reads. */
export interface AccessStores {
  readonly roleStore: Pick<RoleAssignmentStore, 'readPaths' | 'findKinds' | 'hasRoleNow' | 'listByUser'>;
  readonly closureStore: Pick<HierarchyStore, 'ancestors'>;
  /** Without one, flags deny nothing; with one, a flag that is not set denies. */
  readonly flagStore?: Pick<FlagStore, 'readMany'>;
  /** Without one, every tenant has the fallback plan. */
  readonly subscriptionStore?: Pick<SubscriptionStore, 'readMany'>;
  /** Without one, nothing is counted, and only limits of 0 deny. */
  readonly walletStore?: Pick<WalletStore, 'consume' | 'unconsume' | 'credit' | 'readMany'>;
  /** Reads in one call, for access sets, what the other stores contain. Used only if all of them are given. */
  readonly tenantSnapshotStore?: TenantSnapshotStore;
  readonly orgResolver: OrgResolver;
}
