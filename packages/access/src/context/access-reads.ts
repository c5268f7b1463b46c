import type { HeldRoles, Resource, RoleKind, TenantPlans, UserId, WalletCounter } from '@x/store';
import type { CompiledAccess, RequiredRoles } from '../definition/compile-access.ts';
import { composeRoles } from '../role/compose-roles.ts';
import { listAbove } from '../role/list-above.ts';
import { PromiseMemo } from './promise-memo.ts';
import { whenAllThere, whenThere, type Awaitable } from './when-there.ts';
import type { AccessSources } from './access-sources.ts';

/** What is known of a user and one resource. */
export interface ResourceRoles {
  readonly held: HeldRoles;
  /** The roles on the resource itself, inherited ones included. */
  readonly roles: readonly string[];
}

/** The tenant that something belongs to. */
export interface Tenant {
  readonly id: string;
  /** The tenant as a resource, where it is one. */
  readonly resource: Resource | null;
}

/** Resources whose paths are read by one call. */
interface PathBatch {
  readonly resources: Resource[];
  /** In their order. */
  readonly reading: Promise<readonly HeldRoles[]>;
}

/** What one user's access is decided by: read once each, and kept for as long as the request goes on. */
export class AccessReads {
  readonly #access: CompiledAccess;
  readonly #sources: AccessSources;
  readonly #userId: UserId;
  readonly #roles = new PromiseMemo<ResourceRoles>();
  /** What the store said at once, by the id of the resource: what is required tells its type. */
  readonly #verdicts = new Map<RequiredRoles, Map<string, boolean>>();
  readonly #tenants = new PromiseMemo<Tenant | null>();
  readonly #flags = new PromiseMemo<boolean | null>();
  readonly #kinds = new PromiseMemo<boolean>();
  readonly #plans = new PromiseMemo<TenantPlans>();
  #counters = new PromiseMemo<number>();
  #batch: PathBatch | undefined;

  constructor(access: CompiledAccess, sources: AccessSources, userId: UserId) {
    this.#access = access;
    this.#sources = sources;
    this.#userId = userId;
  }

  /** Whether flags are kept at all. */
  get hasFlags(): boolean {
    return this.#sources.flagStore !== undefined;
  }

  /** Reads the roles on a resource, without a wait where they were read already; of all that are asked for at once in one call. */
  rolesOn(resource: Resource): Awaitable<ResourceRoles> {
    return this.#roles.get(resource.type, resource.id, async () => this.#compose(await this.#readPath(resource)));
  }

  /** Says whether the user has one of the required roles on a resource, without a wait where the store needs none. */
  holds(resource: Resource, required: RequiredRoles): Awaitable<boolean> {
    const verdicts = this.#verdicts.get(required);
    const verdict = verdicts?.get(resource.id);
    if (verdict !== undefined) return verdict;
    const { roleStore } = this.#sources;
    if (!roleStore.holdsNow || this.#roles.has(resource.type, resource.id)) return this.#readHeld(resource, required);
    const isHeld = roleStore.holdsNow(this.#userId, resource, required.goal);
    if (verdicts) verdicts.set(resource.id, isHeld);
    else this.#verdicts.set(required, new Map([[resource.id, isHeld]]));
    return isHeld;
  }

  #readHeld(resource: Resource, required: RequiredRoles): Awaitable<boolean> {
    return whenThere(this.rolesOn(resource), ({ roles }) => hasOneOf(roles, required));
  }

  /** Reads the roles on many resources in one call, but for those that were read already. */
  async loadRoles(resources: readonly Resource[]): Promise<void> {
    await whenAllThere(resources.map((resource) => this.rolesOn(resource)));
  }

  /** Reads roles on many resources, and where else kinds of roles are held, in one call but for what was read already. */
  async loadHeld(resources: readonly Resource[], kinds: readonly RoleKind[]): Promise<void> {
    const missing = uniqueBy(
      resources.filter(({ type, id }) => !this.#roles.has(type, id)),
      ({ type, id }) => `${type}:${id}`,
    );
    if (missing.length === 0) {
      await this.holdsAnywhere(kinds);
      return;
    }
    const unknown = this.#unknownKinds(kinds);
    const reading = this.#sources.roleStore.readPathsAndKinds(this.#userId, missing, unknown);
    await Promise.all([
      ...missing.map(async ({ type, id }, index) =>
        this.#roles.get(type, id, async () => this.#compose((await reading).paths[index])),
      ),
      this.#keepKinds(unknown, async () => (await reading).kinds),
    ]);
  }

  /** Says whether the user holds a role of one of the kinds anywhere, in one call but for kinds that were asked for already. */
  holdsAnywhere(kinds: readonly RoleKind[]): Awaitable<boolean> {
    const unknown = this.#unknownKinds(kinds);
    const reading = unknown.length > 0 ? this.#sources.roleStore.findKinds(this.#userId, unknown) : [];
    return whenThere(
      this.#keepKinds(kinds, async () => reading),
      (each) => each.includes(true),
    );
  }

  #unknownKinds(kinds: readonly RoleKind[]): readonly RoleKind[] {
    return uniqueBy(
      kinds.filter(({ type, role }) => !this.#kinds.has(type, role)),
      ({ type, role }) => `${type}:${role}`,
    );
  }

  #keepKinds(kinds: readonly RoleKind[], read: () => Promise<readonly RoleKind[]>): Awaitable<readonly boolean[]> {
    return whenAllThere(
      kinds.map(({ type, role }) =>
        this.#kinds.get(type, role, async () =>
          (await read()).some((kind) => kind.type === type && kind.role === role),
        ),
      ),
    );
  }

  /** Lists the resources on which the user holds a role of one of the kinds directly. */
  async assignedIn(kinds: readonly RoleKind[]): Promise<readonly Resource[]> {
    const held = await this.#sources.roleStore.listByUser(this.#userId);
    const wanted = held.filter(({ resource, role }) =>
      kinds.some((kind) => kind.type === resource.type && kind.role === role),
    );
    return uniqueBy(
      wanted.map(({ resource }) => resource),
      ({ type, id }) => `${type}:${id}`,
    );
  }

  /** Finds the tenant of a resource, or the one that the user is at work in. */
  tenantOf(resource: Resource | null): Awaitable<Tenant | null> {
    const { orgResolver } = this.#sources;
    if (!resource) {
      return this.#tenants.get('', '', async () => toTenant(await orgResolver(undefined, { above: async () => [] })));
    }
    const above = async (): Promise<readonly Resource[]> => listAbove((await this.rolesOn(resource)).held);
    const asked = { type: resource.type, id: resource.id };
    return this.#tenants.get(resource.type, resource.id, async () => toTenant(await orgResolver(asked, { above })));
  }

  /** Reads flags of one tenant, in their order. Without a flag store there are none to read. */
  flagsOf(tenantId: string | null, names: readonly string[]): Awaitable<readonly (boolean | null)[]> {
    return whenThere(this.loadFlags(names.map((name) => ({ tenantId, name }))), () =>
      whenAllThere(names.map((name) => this.#flags.get(toOwner(tenantId), name, async () => null))),
    );
  }

  /** Reads flags of many tenants in one call, but for those that were read already. */
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

  /** Reads what a tenant is subscribed to. */
  plansOf(tenantId: string): Awaitable<TenantPlans> {
    return this.#plans.get(tenantId, '', async () => {
      const [plans] = (await this.#sources.subscriptionStore?.readMany([tenantId])) ?? [toNothing(tenantId)];
      return expectAnswer(plans);
    });
  }

  /** Reads what many tenants are subscribed to in one call, but for those that were read already. */
  async loadPlans(tenantIds: ReadonlySet<string>): Promise<void> {
    const missing = [...tenantIds].filter((tenantId) => !this.#plans.has(tenantId, ''));
    if (missing.length === 0) return;
    const reading = this.#sources.subscriptionStore?.readMany(missing) ?? Promise.resolve(missing.map(toNothing));
    const read = missing.map(async (tenantId, index) =>
      this.#plans.get(tenantId, '', async () => expectAnswer((await reading)[index])),
    );
    await Promise.all(read);
  }

  /** Reads counters in their order, in one call but for those that were read already. Without a wallet store all are 0. */
  countersOf(counters: readonly WalletCounter[]): Awaitable<readonly number[]> {
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

  /** Forgets counters: they were changed. */
  forgetCounters(): void {
    this.#counters = new PromiseMemo<number>();
  }

  /** What is asked for before the next microtask is read together. */
  async #readPath(resource: Resource): Promise<HeldRoles | undefined> {
    this.#batch ??= this.#openBatch();
    const { resources, reading } = this.#batch;
    const index = resources.push(resource) - 1;
    return (await reading)[index];
  }

  #openBatch(): PathBatch {
    const resources: Resource[] = [];
    const read = (): Promise<readonly HeldRoles[]> => {
      this.#batch = undefined;
      return this.#sources.roleStore.readPaths(this.#userId, resources);
    };
    return { resources, reading: Promise.resolve().then(read) };
  }

  #compose(held: HeldRoles | undefined): ResourceRoles {
    if (!held) throw new TypeError('The store did not answer for every resource.');
    return { held, roles: composeRoles(this.#access, held) };
  }
}

/** Says whether one of the roles is enough. */
export function hasOneOf(roles: readonly string[], required: RequiredRoles): boolean {
  return roles.some((role) => required.roles.has(role));
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

/** Tells the flags of no tenant from those of one with an empty id. */
function toOwner(tenantId: string | null): string {
  return tenantId === null ? 'all' : `tenant ${tenantId}`;
}

/** No type and no flag has a colon in its name, so a key can start with one and go on with anything. */
function uniqueBy<Item>(items: readonly Item[], toKey: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [toKey(item), item])).values()];
}
