import { allAwaitable, type Awaitable, mapAwaitable } from '@x/errors';
import type { LatestUsage, Resource, TenantPlans, UserId, WalletCounter } from '@x/store';
import type { CompiledAccess } from '../definition/compile-access.ts';
import { listAncestors } from './compose-roles.ts';
import type { AccessStores } from './access-stores.ts';
import { PromiseCache } from './promise-cache.ts';
import { RoleReads } from './role-reads.ts';

/** The tenant that something belongs to. */
export interface Tenant {
  readonly id: string;
  /** The tenant as a resource, if it is one. */
  readonly resource: Resource | null;
}

/**
 * Everything that decisions about one user are based on. Each part is read once per request.
 */
export class AccessReads {
  /** The user's roles. */
  readonly roles: RoleReads;
  readonly #access: CompiledAccess;
  readonly #stores: AccessStores;
  readonly #userId: UserId;
  readonly #tenants = new PromiseCache<Tenant | null>();
  readonly #flags = new PromiseCache<boolean | null>();
  readonly #plans = new PromiseCache<TenantPlans>();
  #counters = new PromiseCache<number>();
  /** By tenant and limit. */
  #latestUsages = new PromiseCache<LatestUsage | null>();

  constructor(access: CompiledAccess, stores: AccessStores, userId: UserId) {
    this.roles = new RoleReads(access, stores.roleStore, userId);
    this.#access = access;
    this.#stores = stores;
    this.#userId = userId;
  }

  /** Whether there is a flag store. */
  get hasFlags(): boolean {
    return this.#stores.flagStore !== undefined;
  }

  /**
   * Reads, in one call if the stores support it, what nearly all questions about the tenant itself need. Anything else
   * is read on demand.
   */
  async loadTenantSnapshot(tenant: Resource): Promise<void> {
    const { tenantSnapshotStore, flagStore, subscriptionStore, walletStore } = this.#stores;
    if (!tenantSnapshotStore || !flagStore || !subscriptionStore || !walletStore) return;
    const { flags, limits } = this.#access;
    const snapshot = await tenantSnapshotStore.read({ userId: this.#userId, tenant, flags, limits });
    this.roles.prime(snapshot.granted);
    this.#plans.prime(tenant.id, '', snapshot.plans);
    flags.forEach((name, index) => this.#flags.prime(toOwner(tenant.id), name, snapshot.flags[index] ?? null));
    limits.forEach((name, index) => this.#latestUsages.prime(tenant.id, name, snapshot.latestUsages[index] ?? null));
  }

  /** Finds the tenant of a resource, or without one the user's current tenant. */
  tenantOf(resource: Resource | null): Awaitable<Tenant | null> {
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

  /** Reads flags of one tenant, in their order. Without a flag store there are none. */
  flagsOf(tenantId: string | null, names: readonly string[]): Awaitable<readonly (boolean | null)[]> {
    return mapAwaitable(this.loadFlags(names.map((name) => ({ tenantId, name }))), () =>
      allAwaitable(names.map((name) => this.#flags.load(toOwner(tenantId), name, async () => null))),
    );
  }

  /** Reads flags of many tenants in one call, except those already read. */
  loadFlags(flags: readonly { readonly tenantId: string | null; readonly name: string }[]): Awaitable<void> {
    const missing = this.#flags.findMissing(
      flags,
      ({ tenantId }) => toOwner(tenantId),
      ({ name }) => name,
    );
    if (missing.length === 0 || !this.#stores.flagStore) return undefined;
    const reading = this.#stores.flagStore.readMany(missing);
    return Promise.all(
      missing.map(async ({ tenantId, name }, index) =>
        this.#flags.load(toOwner(tenantId), name, async () => (await reading)[index] ?? null),
      ),
    ).then(() => undefined);
  }

  /** Reads a tenant's subscriptions. */
  plansOf(tenantId: string): Awaitable<TenantPlans> {
    return this.#plans.load(tenantId, '', async () => {
      const [plans] = (await this.#stores.subscriptionStore?.readMany([tenantId])) ?? [noPlansOf(tenantId)];
      return expectRead(plans);
    });
  }

  /** Reads the subscriptions of many tenants in one call, except those already read. */
  async loadPlans(tenantIds: ReadonlySet<string>): Promise<void> {
    const missing = [...tenantIds].filter((tenantId) => !this.#plans.has(tenantId, ''));
    if (missing.length === 0) return;
    const reading = this.#stores.subscriptionStore?.readMany(missing) ?? Promise.resolve(missing.map(noPlansOf));
    await Promise.all(
      missing.map(async (tenantId, index) =>
        this.#plans.load(tenantId, '', async () => expectRead((await reading)[index])),
      ),
    );
  }

  /** Reads counters in their order, in one call, except those already read. Without a wallet store all are 0. */
  countersOf(counters: readonly WalletCounter[]): Awaitable<readonly number[]> {
    for (const counter of counters) this.#primeFromLatest(counter);
    const missing = this.#counters.findMissing(counters, ({ tenantId }) => tenantId, toCounterName);
    const reading = missing.length > 0 ? this.#stores.walletStore?.readMany(missing) : undefined;
    const places = new Map(missing.map((counter, index) => [toCounterKey(counter), index]));
    return allAwaitable(
      counters.map((counter) =>
        this.#counters.load(counter.tenantId, toCounterName(counter), async () => {
          if (!this.#stores.walletStore) return 0;
          return expectRead((await reading)?.[places.get(toCounterKey(counter)) ?? -1]);
        }),
      ),
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

function toCounterKey(counter: WalletCounter): string {
  return `${toCounterName(counter)} ${counter.tenantId}`;
}

function expectRead<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError('The store did not return everything that was requested.');
  return value;
}

/** Distinguishes the flags of no tenant from those of a tenant with an empty id. */
function toOwner(tenantId: string | null): string {
  return tenantId === null ? 'all' : `tenant ${tenantId}`;
}
