import type {
  ClosureStore,
  FlagStore,
  Resource,
  RoleAssignmentStore,
  StandingStore,
  SubscriptionStore,
  WalletStore,
} from '@x/store';
import type { Awaitable } from './when-there.ts';

/** Finds the tenant of a resource or, without one, the tenant that the caller is at work in; null where there is none. */
export type OrgResolver = (
  resource: Resource | undefined,
  lookup: OrgLookup,
) => Awaitable<string | Resource | null | undefined>;

/** What a resolver may ask about the resource that it is handed. */
export interface OrgLookup {
  /**
   * Reads all that is above the resource, the nearest first; nothing where there is no resource. It is part of what the
   * roles are read by: it costs a call only where those are not asked for, and one for all resources asked for at once.
   */
  readonly above: () => Promise<readonly Resource[]>;
}

/** Where an access context reads. */
export interface AccessSources {
  readonly roleStore: Pick<
    RoleAssignmentStore,
    'readPaths' | 'findKinds' | 'readPathsAndKinds' | 'holdsNow' | 'listByUser'
  >;
  readonly closureStore: Pick<ClosureStore, 'ancestors'>;
  /** Without one, flags forbid nothing; with one, a flag that is not set does. */
  readonly flagStore?: Pick<FlagStore, 'readMany'>;
  /** Without one, nobody is subscribed to anything, and whoever has a tenant has the plan that plans fall back to. */
  readonly subscriptionStore?: Pick<SubscriptionStore, 'readMany'>;
  /** Without one, nothing is counted: of the limits only those forbid that are 0. */
  readonly walletStore?: Pick<WalletStore, 'consume' | 'unconsume' | 'credit' | 'readMany'>;
  /** Reads in one call, for access sets, what the stores above are asked. It counts where all of them are there. */
  readonly standingStore?: StandingStore;
  readonly orgResolver: OrgResolver;
}
