import type { Awaitable } from '@x/errors';
import type {
  FlagKey,
  FlagStore,
  HierarchyStore,
  LatestUsage,
  Resource,
  SubscriptionStore,
  TenantPlans,
  TenantSnapshotStore,
  UserId,
  WalletCounter,
  WalletStore,
} from '@x/store';
import type { CompiledAccess } from '../definition/compile-access.ts';
import { PromiseCache } from './promise-cache.ts';
import { listAncestors, RoleReads, type RoleStore } from './role-reads.ts';

/** Finds the tenant of a resource or, without a resource, the caller's current tenant; null if there is none. */
export type OrgResolver = (
  resource: Resource | undefined,
  lookup: OrgLookup,
) => Awaitable<string | Resource | null | undefined>;

/** Lookups by which a resolver can learn about the resource. */
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
  readonly roleStore: RoleStore;
  readonly closureStore: Pick<HierarchyStore, 'ancestors'>;
  /** Without one, flags deny nothing; with one, a flag that is not set denies. */
  readonly flagStore?: Pick<FlagStore, 'readMany'>;
  /** Without one, every tenant has the fallback plan. */
  readonly subscriptionStore?: Pick<SubscriptionStore, 'readMany'>;
  /** Without one, nothing is counted, and only limits of 0 deny. */
  readonly walletStore?: Pick<WalletStore, 'consume' | 'unconsume' | 'credit' | 'readMany'>;
  /** Reads the content of the other stores in one call, for access sets. Used only if all of them are given. */
  readonly tenantSnapshotStore?: TenantSnapshotStore;
  readonly orgResolver: OrgResolver;
}

/** The tenant that something belongs to. */
export interface Tenant {
  readonly id: string;
  /** The tenant as a resource, if it is one. */
  readonly resource: Resource | null;
}

/** Everything that decisions about one user are based on. Each part is read once per request. */
export class AccessReads {
  /** The user's id in the stores; empty for callers who are not signed in, about whom nothing is read. */
  readonly userId: UserId;
  /** The user's roles. */
  readonly roles: RoleReads;
  readonly #access: CompiledAccess;
  readonly #stores: AccessStores;
  readonly #tenants = new PromiseCache<Tenant | null>();
  readonly #flags = new PromiseCache<boolean | null>();
  readonly #plans = new PromiseCache<TenantPlans>();
  #counters = new PromiseCache<number>();
  /** By tenant and limit. */
  #latestUsages = new PromiseCache<LatestUsage | null>();

  constructor(access: CompiledAccess, stores: AccessStores, userId: UserId) {
    this.userId = userId;
    this.roles = new RoleReads(access, stores.roleStore, userId);
    this.#access = access;
    this.#stores = stores;
  }

  /** Whether there is a flag store. */
  get hasFlags(): boolean {
    return this.#stores.flagStore !== undefined;
  }

  /**
   * Reads, in one call if the stores support it, the state that nearly all questions about the tenant itself need.
   * Other state is read on demand.
   */
  async loadTenantSnapshot(tenant: Resource): Promise<void> {
    const { tenantSnapshotStore, flagStore, subscriptionStore, walletStore } = this.#stores;
    if (!tenantSnapshotStore || !flagStore || !subscriptionStore || !walletStore) return;
    const { flags, limits } = this.#access;
    const snapshot = await tenantSnapshotStore.read({ userId: this.userId, tenant, flags, limits });
    this.roles.prime(snapshot.granted);
    this.#plans.prime(tenant.id, '', snapshot.plans);
    flags.forEach((name, index) => this.#flags.prime(toOwner(tenant.id), name, snapshot.flags[index] ?? null));
    limits.forEach((name, index) => this.#latestUsages.prime(tenant.id, name, snapshot.latestUsages[index] ?? null));
  }

  /** Finds the tenant of a resource, or without one the user's current tenant. */
  async tenantOf(resource: Resource | null): Promise<Tenant | null> {
    const { orgResolver } = this.#stores;
    if (!resource) {
      return this.#tenants.load('', '', async () =>
        toTenant(await orgResolver(undefined, { ancestors: async () => [] })),
      );
    }
    const ancestors = async (): Promise<readonly Resource[]> =>
      listAncestors((await this.roles.readBatched(resource)).granted);
    const { type, id } = resource;
    return this.#tenants.load(type, id, async () => toTenant(await orgResolver({ type, id }, { ancestors })));
  }

  /** Reads flags in their order, in one call, except those already read. Without a flag store none is set. */
  async flagsOf(flags: readonly FlagKey[]): Promise<readonly (boolean | null)[]> {
    return this.#flags.loadEach(
      flags,
      ({ tenantId, name }) => [toOwner(tenantId), name],
      async (missing) => this.#stores.flagStore?.readMany(missing) ?? missing.map(() => null),
    );
  }

  /** Reads a tenant's subscriptions. */
  async plansOf(tenantId: string): Promise<TenantPlans> {
    return this.#plans.loaded(tenantId, '') ?? (await this.plansOfEach([tenantId]))[0] ?? noPlansOf(tenantId);
  }

  /** Reads the subscriptions of tenants in their order, in one call, except those already read. */
  async plansOfEach(tenantIds: readonly string[]): Promise<readonly TenantPlans[]> {
    return this.#plans.loadEach(
      tenantIds,
      (tenantId) => [tenantId, ''],
      async (missing) => this.#stores.subscriptionStore?.readMany(missing) ?? missing.map(noPlansOf),
    );
  }

  /** Reads counters in their order, in one call, except those already read. Without a wallet store all are 0. */
  async countersOf(counters: readonly WalletCounter[]): Promise<readonly number[]> {
    for (const counter of counters) this.#primeFromLatest(counter);
    return this.#counters.loadEach(
      counters,
      (counter) => [counter.tenantId, toCounterName(counter)],
      async (missing) => this.#stores.walletStore?.readMany(missing) ?? missing.map(() => 0),
    );
  }

  /** Forgets all counters, because they have changed. */
  forgetCounters(): void {
    this.#counters = new PromiseCache<number>();
    this.#latestUsages = new PromiseCache<LatestUsage | null>();
  }

  /** The latest use has the counter of its own period, and shows that nothing was consumed in any later period. */
  #primeFromLatest(counter: WalletCounter): void {
    const latest = this.#latestUsages.loaded(counter.tenantId, counter.limit);
    if (latest === undefined || (latest && latest.periodStart > counter.periodStart)) return;
    const isSame = latest?.periodStart.getTime() === counter.periodStart.getTime();
    this.#counters.prime(counter.tenantId, toCounterName(counter), latest && isSame ? latest.consumed : 0);
  }
}

function toTenant(resolved: string | Resource | null | undefined): Tenant | null {
  if (resolved === null || resolved === undefined) return null;
  return typeof resolved === 'string' ? { id: resolved, resource: null } : { id: resolved.id, resource: resolved };
}

function noPlansOf(tenantId: string): TenantPlans {
  return { tenantId, subscriptions: [], addOns: [], overrides: [] };
}

function toCounterName({ limit, periodStart }: WalletCounter): string {
  return `${limit} ${periodStart.getTime()}`;
}

/** Distinguishes the flags of no tenant from those of a tenant with an empty id. */
function toOwner(tenantId: string | null): string {
  return tenantId === null ? 'all' : `tenant ${tenantId}`;
}
