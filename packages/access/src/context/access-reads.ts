import type { LatestUsage, Resource, TenantPlans, UserId, WalletCounter } from '@x/store';
import type { CompiledAccess } from '../definition/compile-access.ts';
import { listAbove } from '../role/list-above.ts';
import type { AccessStores } from './access-sources.ts';
import { PromiseMemo } from './promise-memo.ts';
import { RoleReads } from './role-reads.ts';
import { uniqueBy } from './unique-by.ts';
import { whenAllThere, whenThere, type Awaitable } from './when-there.ts';

/** The tenant that something belongs to. */
export interface Tenant {
  readonly id: string;
  /** The tenant as a resource, if it is one. */
  readonly resource: Resource | null;
}

/**
 * Everything that decisions about one user are based on. Each part is read once and kept for the rest of the request.
 */
export class AccessReads {
  /** The user's roles. */
  readonly roles: RoleReads;
  readonly #access: CompiledAccess;
  readonly #sources: AccessStores;
  readonly #userId: UserId;
  readonly #tenants = new PromiseMemo<Tenant | null>();
  readonly #flags = new PromiseMemo<boolean | null>();
  readonly #plans = new PromiseMemo<TenantPlans>();
  #counters = new PromiseMemo<number>();
  /** By tenant and limit. */
  #latestUsages = new PromiseMemo<LatestUsage | null>();

  constructor(access: CompiledAccess, sources: AccessStores, userId: UserId) {
    this.roles = new RoleReads(access, sources.roleStore, userId);
    this.#access = access;
    this.#sources = sources;
    this.#userId = userId;
  }

  /** Whether there is a flag store. */
  get hasFlags(): boolean {
    return this.#sources.flagStore !== undefined;
  }

  /**
   * Reads, in one call if the stores support it, what nearly all questions about the tenant itself need. Anything else
   * is read on demand.
   */
  async loadTenantSnapshot(tenant: Resource): Promise<void> {
    const { tenantSnapshotStore, flagStore, subscriptionStore, walletStore } = this.#sources;
    if (!tenantSnapshotStore || !flagStore || !subscriptionStore || !walletStore) return;
    const { flags, limits } = this.#access;
    const standing = await tenantSnapshotStore.read({ userId: this.#userId, tenant, flags, limits });
    this.roles.keep(standing.granted);
    this.#plans.keep(tenant.id, '', standing.plans);
    flags.forEach((name, index) => this.#flags.keep(toOwner(tenant.id), name, standing.flags[index] ?? null));
    limits.forEach((name, index) => this.#latestUsages.keep(tenant.id, name, standing.latestUsages[index] ?? null));
  }

  /** Finds the tenant of a resource, or without one the user's current tenant. */
  tenantOf(resource: Resource | null): Awaitable<Tenant | null> {
    const { orgResolver } = this.#sources;
    if (!resource) {
      return this.#tenants.get('', '', async () => toTenant(await orgResolver(undefined, { above: async () => [] })));
    }
    const above = async (): Promise<readonly Resource[]> => listAbove((await this.roles.amongOthers(resource)).held);
    const asked = { type: resource.type, id: resource.id };
    return this.#tenants.get(resource.type, resource.id, async () => toTenant(await orgResolver(asked, { above })));
  }

  /** Reads flags of one tenant, in their order. Without a flag store there are none. */
  flagsOf(tenantId: string | null, names: readonly string[]): Awaitable<readonly (boolean | null)[]> {
    return whenThere(this.loadFlags(names.map((name) => ({ tenantId, name }))), () =>
      whenAllThere(names.map((name) => this.#flags.get(toOwner(tenantId), name, async () => null))),
    );
  }

  /** Reads flags of many tenants in one call, except those already read. */
  loadFlags(flags: readonly { readonly tenantId: string | null; readonly name: string }[]): Awaitable<unknown> {
    const missing = uniqueBy(
      flags.filter(({ tenantId, name }) => !this.#flags.has(toOwner(tenantId), name)),
      ({ tenantId, name }) => `${name}:${toOwner(tenantId)}`,
    );
    if (missing.length === 0 || !this.#sources.flagStore) return undefined;
    const reading = this.#sources.flagStore.readMany(missing);
    const keeping = missing.map(async ({ tenantId, name }, index) =>
      this.#flags.get(toOwner(tenantId), name, async () => (await reading)[index] ?? null),
    );
    return Promise.all(keeping);
  }

  /** Reads a tenant's subscriptions. */
  plansOf(tenantId: string): Awaitable<TenantPlans> {
    return this.#plans.get(tenantId, '', async () => {
      const [plans] = (await this.#sources.subscriptionStore?.readMany([tenantId])) ?? [toNothing(tenantId)];
      return expectAnswer(plans);
    });
  }

  /** Reads the subscriptions of many tenants in one call, except those already read. */
  async loadPlans(tenantIds: ReadonlySet<string>): Promise<void> {
    const missing = [...tenantIds].filter((tenantId) => !this.#plans.has(tenantId, ''));
    if (missing.length === 0) return;
    const reading = this.#sources.subscriptionStore?.readMany(missing) ?? Promise.resolve(missing.map(toNothing));
    const read = missing.map(async (tenantId, index) =>
      this.#plans.get(tenantId, '', async () => expectAnswer((await reading)[index])),
    );
    await Promise.all(read);
  }

  /** Reads counters in their order, in one call, except those already read. Without a wallet store all are 0. */
  countersOf(counters: readonly WalletCounter[]): Awaitable<readonly number[]> {
    for (const counter of counters) this.#keepLatest(counter);
    const missing = counters.filter((counter) => !this.#counters.has(counter.tenantId, toCounterName(counter)));
    const reading = missing.length > 0 ? this.#sources.walletStore?.readMany(missing) : undefined;
    const places = new Map(missing.map((counter, index) => [toCounterKey(counter), index]));
    return whenAllThere(
      counters.map((counter) =>
        this.#counters.get(counter.tenantId, toCounterName(counter), async () => {
          if (!this.#sources.walletStore) return 0;
          return expectAnswer((await reading)?.[places.get(toCounterKey(counter)) ?? -1]);
        }),
      ),
    );
  }

  /** Forgets all counters, because they have changed. */
  forgetCounters(): void {
    this.#counters = new PromiseMemo<number>();
    this.#latestUsages = new PromiseMemo<LatestUsage | null>();
  }

  /** The latest use answers for its own period, and shows that nothing was consumed in any later period. */
  #keepLatest(counter: WalletCounter): void {
    const latest = this.#latestUsages.peek(counter.tenantId, counter.limit);
    if (latest === undefined || (latest && latest.periodStart > counter.periodStart)) return;
    const isSame = latest?.periodStart.getTime() === counter.periodStart.getTime();
    this.#counters.keep(counter.tenantId, toCounterName(counter), latest && isSame ? latest.consumed : 0);
  }
}

function toTenant(answer: string | Resource | null | undefined): Tenant | null {
  if (answer === null || answer === undefined) return null;
  return typeof answer === 'string' ? { id: answer, resource: null } : { id: answer.id, resource: answer };
}

function toNothing(tenantId: string): TenantPlans {
  return { tenantId, subscriptions: [], addOns: [], overrides: [] };
}

function toCounterName({ limit, periodStart }: WalletCounter): string {
  return `${limit} ${periodStart.getTime()}`;
}

function toCounterKey(counter: WalletCounter): string {
  return `${toCounterName(counter)} ${counter.tenantId}`;
}

function expectAnswer<Answer>(answer: Answer | undefined): Answer {
  if (answer === undefined) throw new TypeError('The store did not answer all that was asked.');
  return answer;
}

/** Distinguishes the flags of no tenant from those of a tenant with an empty id. */
function toOwner(tenantId: string | null): string {
  return tenantId === null ? 'all' : `tenant ${tenantId}`;
}
