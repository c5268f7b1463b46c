import type { Awaitable } from '@x/errors';
import {
  compareCodePoints,
  type GrantedPage,
  type GrantedRoles,
  type Page,
  type Resource,
  type RoleAssignmentStore,
  type RoleKind,
  type UserId,
  type UserPath,
} from '@x/store';
import type { CompiledAccess, RoleRequirement } from '../definition/compile-access.ts';
import { PromiseCache } from './promise-cache.ts';

/** The methods of the store of roles that are read. */
export type RoleStore = Pick<
  RoleAssignmentStore,
  'readPaths' | 'findKinds' | 'hasRoleNow' | 'listAssigned' | 'listGranted' | 'listGrantees'
>;

/** The known roles of a user on one resource. */
interface ResourceRoles {
  readonly granted: GrantedRoles;
  /** The roles on the resource itself, inherited ones included. */
  readonly roles: readonly string[];
}

/** The roles of one user. Each part is read once per request. */
export class RoleReads {
  readonly #composition: Composition;
  readonly #store: RoleStore;
  readonly #userId: UserId;
  readonly #roles = new PromiseCache<ResourceRoles>();
  readonly #kinds = new PromiseCache<boolean>();
  /** The store's synchronous decisions, by the id of the resource; the required roles imply its type. */
  readonly #decisions = new Map<RoleRequirement, Map<string, boolean>>();
  #batch: PathBatch | undefined;

  constructor(access: CompiledAccess, store: RoleStore, userId: UserId) {
    this.#composition = { access, inherited: new Map() };
    this.#store = store;
    this.#userId = userId;
  }

  /** Says whether the user has one of the required roles on a resource; at once if they are known or the store can. */
  hasRole(resource: Resource, required: RoleRequirement): Awaitable<boolean> {
    const decisions = this.#decisions.get(required);
    const known = decisions?.get(resource.id);
    if (known !== undefined) return known;
    if (!this.#store.hasRoleNow || this.#roles.has(resource.type, resource.id)) {
      const roles = this.loaded(resource);
      return roles ? hasOneOf(roles, required) : this.read(resource).then((read) => hasOneOf(read.roles, required));
    }
    const decision = this.#store.hasRoleNow(this.#userId, resource, required.requiredRoles);
    if (decisions) decisions.set(resource.id, decision);
    else this.#decisions.set(required, new Map([[resource.id, decision]]));
    return decision;
  }

  /** Reads the roles on a resource. */
  async read(resource: Resource): Promise<ResourceRoles> {
    return this.#roles.load(resource.type, resource.id, async () => {
      const [granted] = await this.#store.readPaths(this.#userId, [resource]);
      return this.#compose(granted);
    });
  }

  /** Reads the roles on a resource, in one call with all other resources requested at the same time. */
  async readBatched(resource: Resource): Promise<ResourceRoles> {
    return this.#roles.load(resource.type, resource.id, async () => this.#compose(await this.#readPath(resource)));
  }

  /** Reads the roles on many resources, in one call with other requests, except those already read. */
  async loadBatched(resources: readonly Resource[]): Promise<void> {
    await Promise.all(resources.map((resource) => this.readBatched(resource)));
  }

  /**
   * Reads the roles on many resources in a call of its own, except those already read; less work for each resource than
   * {@link loadBatched}.
   */
  async load(resources: readonly Resource[]): Promise<void> {
    // The records of a page may all refer to one resource.
    const missing = this.#roles.findMissing(resources, ({ type, id }) => [type, id]);
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
  async hasAnywhere(kinds: readonly RoleKind[]): Promise<boolean> {
    const each = await this.#kinds.loadEach(
      kinds,
      ({ type, role }) => [type, role],
      async (missing) => {
        const found = await this.#store.findKinds(this.#userId, missing);
        return missing.map((kind) => includes(found, kind));
      },
    );
    return each.includes(true);
  }

  /** Lists once each resource on which the user or one of their groups was assigned a role of one of the kinds. */
  async listAssigned(kinds: readonly RoleKind[]): Promise<readonly Resource[]> {
    return this.#store.listAssigned(this.#userId, kinds);
  }

  /** Lists a page of the ids of resources on which the user has one of the required roles. */
  async listGranted({ type, roles, inheritance }: RoleRequirement, page: GrantedPage): Promise<Page<string>> {
    return this.#store.listGranted({ userId: this.#userId, type, roles: [...roles], inheritance }, page);
  }

  /**
   * Lists a page of the users who have one of the required roles on a resource; the context's own user does not matter.
   */
  async listGrantees(
    resource: Resource,
    { roles, inheritance }: RoleRequirement,
    page: GrantedPage,
  ): Promise<Page<UserPath>> {
    return this.#store.listGrantees({ resource, roles: [...roles], inheritance }, page);
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
function hasOneOf(roles: readonly string[], required: RoleRequirement): boolean {
  return roles.some((role) => required.roles.has(role));
}

/** The inputs of composing roles, and the intermediate results. */
interface Composition {
  readonly access: CompiledAccess;
  /**
   * The roles that resources have inherited from each parent so far. Resources share ancestors, and without this memo a
   * hierarchy with multiple parents would be walked once per path, of which there can be exponentially many.
   */
  readonly inherited: Map<GrantedRoles, InheritedRoles[]>;
}

/** The roles that a parent passes down to its children of one type. */
interface InheritedRoles {
  readonly type: string;
  readonly roles: readonly string[];
}

/**
 * Composes the roles that a user has on a resource, without duplicates: those assigned to them or their groups, and
 * those inherited along every path, each step mapped by the `inherits` of the child's type.
 */
function composeRoles(
  composition: Composition,
  { roles, rolesByGroup, parents, resource }: GrantedRoles,
): readonly string[] {
  const [only] = parents;
  const isOwn = rolesByGroup.length === 0;
  if (!only && isOwn) return roles;
  // On a page, most records have one parent and no roles of their own, so they share its list.
  if (only && isOwn && parents.length === 1 && roles.length === 0) return inherit(composition, only, resource.type);
  const composed = [...roles];
  addEach(
    composed,
    rolesByGroup.map(({ role }) => role),
  );
  for (const parent of parents) addEach(composed, inherit(composition, parent, resource.type));
  return composed;
}

function inherit(composition: Composition, parent: GrantedRoles, type: string): readonly string[] {
  const { access, inherited } = composition;
  const known = inherited.get(parent);
  // Nearly all children of a resource have the same type.
  for (const each of known ?? []) if (each.type === type) return each.roles;
  const map = access.types.get(type)?.inherits.get(parent.resource.type);
  const roles: string[] = [];
  if (map) addEach(roles, composeRoles(composition, parent), map);
  if (known) known.push({ type, roles });
  else inherited.set(parent, [{ type, roles }]);
  return roles;
}

/** @param map - the role that each of the roles becomes; itself by default */
function addEach(roles: string[], others: readonly string[], map?: ReadonlyMap<string, string>): void {
  for (const other of others) {
    const role = map ? map.get(other) : other;
    if (role !== undefined && !roles.includes(role)) roles.push(role);
  }
}

/** Lists everything above a resource, without duplicates, the nearest first, and those as near by type and id. */
export function listAncestors(granted: GrantedRoles): readonly Resource[] {
  const found = new Set(sortedParents(granted));
  // Iterating a set includes items that are added meanwhile.
  for (const each of found) for (const parent of sortedParents(each)) found.add(parent);
  return Array.from(found, ({ resource }) => resource);
}

function sortedParents({ parents }: GrantedRoles): readonly GrantedRoles[] {
  return parents.toSorted(
    ({ resource: a }, { resource: b }) => compareCodePoints(a.type, b.type) || compareCodePoints(a.id, b.id),
  );
}
