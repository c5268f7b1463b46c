import { allAwaitable, type Awaitable, mapAwaitable } from '@x/errors';
import type { GrantedRoles, Resource, RoleKind, UserId } from '@x/store';
import type { CompiledAccess, RoleRequirement } from '../definition/compile-access.ts';
import type { AccessStores } from './access-stores.ts';
import { composeRoles, type Composition } from './compose-roles.ts';
import { PromiseCache } from './promise-cache.ts';

/** What is known about a user and one resource. */
export interface ResourceRoles {
  readonly granted: GrantedRoles;
  /** The roles on the resource itself, inherited ones included. */
  readonly roles: readonly string[];
}

/** The roles of one user. Each part is read once per request. */
export class RoleReads {
  readonly #composition: Composition;
  readonly #store: AccessStores['roleStore'];
  readonly #userId: UserId;
  readonly #roles = new PromiseCache<ResourceRoles>();
  readonly #kinds = new PromiseCache<boolean>();
  /** The store's synchronous decisions, by the id of the resource; the required roles imply its type. */
  readonly #decisions = new Map<RoleRequirement, Map<string, boolean>>();
  #batch: PathBatch | undefined;

  constructor(access: CompiledAccess, store: AccessStores['roleStore'], userId: UserId) {
    this.#composition = { access, inherited: new Map() };
    this.#store = store;
    this.#userId = userId;
  }

  /** Says whether the user has one of the required roles on a resource; synchronously if the store can. */
  hasRole(resource: Resource, required: RoleRequirement): Awaitable<boolean> {
    const decisions = this.#decisions.get(required);
    const known = decisions?.get(resource.id);
    if (known !== undefined) return known;
    if (!this.#store.hasRoleNow || this.#roles.has(resource.type, resource.id))
      return this.#readHasRole(resource, required);
    const decision = this.#store.hasRoleNow(this.#userId, resource, required.requiredRoles);
    if (decisions) decisions.set(resource.id, decision);
    else this.#decisions.set(required, new Map([[resource.id, decision]]));
    return decision;
  }

  #readHasRole(resource: Resource, required: RoleRequirement): Awaitable<boolean> {
    return mapAwaitable(this.read(resource), ({ roles }) => hasOneOf(roles, required));
  }

  /** Reads the roles on a resource; synchronously if they have been read. */
  read(resource: Resource): Awaitable<ResourceRoles> {
    return this.#roles.load(resource.type, resource.id, () =>
      this.#store.readPaths(this.#userId, [resource]).then(([granted]) => this.#compose(granted)),
    );
  }

  /** Reads the roles on a resource, in one call with all other resources requested at the same time. */
  readBatched(resource: Resource): Awaitable<ResourceRoles> {
    return this.#roles.load(resource.type, resource.id, async () => this.#compose(await this.#readPath(resource)));
  }

  /** Reads the roles on many resources, in one call with other requests, except those already read. */
  async loadBatched(resources: readonly Resource[]): Promise<void> {
    await allAwaitable(resources.map((resource) => this.readBatched(resource)));
  }

  /**
   * Reads the roles on many resources in a call of its own, except those already read; less work for each resource than
   * {@link loadBatched}.
   */
  async load(resources: readonly Resource[]): Promise<void> {
    // The records of a page may all refer to one resource.
    const missing = this.#roles.findMissing(
      resources,
      ({ type }) => type,
      ({ id }) => id,
    );
    if (missing.length === 0) return;
    const paths = await this.#store.readPaths(this.#userId, missing);
    for (const [index, { type, id }] of missing.entries()) this.#roles.prime(type, id, this.#compose(paths[index]));
  }

  /** Stores the roles on a resource that were read together with something else. */
  prime(granted: GrantedRoles): void {
    this.#roles.prime(granted.resource.type, granted.resource.id, this.#compose(granted));
  }

  /** Returns the roles on a resource, inherited ones included, if they have been read. */
  loaded({ type, id }: Resource): readonly string[] | undefined {
    return this.#roles.loaded(type, id)?.roles;
  }

  /**
   * Says whether the user has a role of one of the kinds on any resource, in one call, except for kinds already read.
   */
  hasAnywhere(kinds: readonly RoleKind[]): Awaitable<boolean> {
    const missing = this.#kinds.findMissing(
      kinds,
      ({ type }) => type,
      ({ role }) => role,
    );
    const reading = missing.length > 0 ? this.#store.findKinds(this.#userId, missing) : [];
    const known = kinds.map((kind) =>
      this.#kinds.load(kind.type, kind.role, async () => includes(await reading, kind)),
    );
    return mapAwaitable(allAwaitable(known), (each) => each.includes(true));
  }

  /** Lists the resources on which the user was directly assigned a role of one of the kinds, without duplicates. */
  async listAssigned(kinds: readonly RoleKind[]): Promise<readonly Resource[]> {
    const assignments = await this.#store.listByUser(this.#userId);
    const resources = new Map<string, Resource>();
    for (const { resource, role } of assignments) {
      if (includes(kinds, { type: resource.type, role })) resources.set(`${resource.type}:${resource.id}`, resource);
    }
    return [...resources.values()];
  }

  /** All requests before the next microtask are read together. */
  async #readPath(resource: Resource): Promise<GrantedRoles | undefined> {
    this.#batch ??= this.#openBatch();
    const { resources, reading } = this.#batch;
    const index = resources.push(resource) - 1;
    return (await reading)[index];
  }

  #openBatch(): PathBatch {
    const resources: Resource[] = [];
    const read = (): Promise<readonly GrantedRoles[]> => {
      this.#batch = undefined;
      return this.#store.readPaths(this.#userId, resources);
    };
    return { resources, reading: Promise.resolve().then(read) };
  }

  #compose(granted: GrantedRoles | undefined): ResourceRoles {
    if (!granted) throw new TypeError('The store did not return the roles on every resource.');
    return { granted, roles: composeRoles(this.#composition, granted) };
  }
}

/** Resources whose paths are read in one call. */
interface PathBatch {
  readonly resources: Resource[];
  /** In the order of the resources. */
  readonly reading: Promise<readonly GrantedRoles[]>;
}

function includes(kinds: readonly RoleKind[], { type, role }: RoleKind): boolean {
  return kinds.some((kind) => kind.type === type && kind.role === role);
}

/** Says whether one of the roles is sufficient. */
export function hasOneOf(roles: readonly string[], required: RoleRequirement): boolean {
  return roles.some((role) => required.roles.has(role));
}
