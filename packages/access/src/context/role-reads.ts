import type { GrantedRoles, Resource, RoleKind, UserId } from '@x/store';
import type { CompiledAccess, RoleRequirement } from '../definition/compile-access.ts';
import { composeRoles, type Composition } from '../role/compose-roles.ts';
import type { AccessStores } from './access-sources.ts';
import { PromiseMemo } from './promise-memo.ts';
import { uniqueBy } from './unique-by.ts';
import { whenAllThere, whenThere, type Awaitable } from './when-there.ts';

/** What is known about a user and one resource. */
export interface ResourceRoles {
  readonly held: GrantedRoles;
  /** The roles on the resource itself, inherited ones included. */
  readonly roles: readonly string[];
}

/** Resources whose paths are read in one call. */
interface PathBatch {
  readonly resources: Resource[];
  /** In the order of the resources. */
  readonly reading: Promise<readonly GrantedRoles[]>;
}

/** The roles of one user. Each part is read once and kept for the rest of the request. */
export class RoleReads {
  readonly #composition: Composition;
  readonly #store: AccessStores['roleStore'];
  readonly #userId: UserId;
  readonly #roles = new PromiseMemo<ResourceRoles>();
  readonly #kinds = new PromiseMemo<boolean>();
  /** The store's synchronous verdicts, by the id of the resource; the required roles imply its type. */
  readonly #verdicts = new Map<RoleRequirement, Map<string, boolean>>();
  #batch: PathBatch | undefined;

  constructor(access: CompiledAccess, store: AccessStores['roleStore'], userId: UserId) {
    this.#composition = { access, handedDown: new Map() };
    this.#store = store;
    this.#userId = userId;
  }

  /** Reads the roles on a resource; synchronously if they have been read. */
  on(resource: Resource): Awaitable<ResourceRoles> {
    return this.#roles.get(resource.type, resource.id, () =>
      this.#store.readPaths(this.#userId, [resource]).then(([held]) => this.#compose(held)),
    );
  }

  /** Does the same, in one call with all other resources requested at the same time. */
  amongOthers(resource: Resource): Awaitable<ResourceRoles> {
    return this.#roles.get(resource.type, resource.id, async () => this.#compose(await this.#readPath(resource)));
  }

  /** Says whether the user has one of the required roles on a resource; synchronously if the store can. */
  holds(resource: Resource, required: RoleRequirement): Awaitable<boolean> {
    const verdicts = this.#verdicts.get(required);
    const verdict = verdicts?.get(resource.id);
    if (verdict !== undefined) return verdict;
    if (!this.#store.hasRoleNow || this.#roles.has(resource.type, resource.id))
      return this.#readHeld(resource, required);
    const isHeld = this.#store.hasRoleNow(this.#userId, resource, required.goal);
    if (verdicts) verdicts.set(resource.id, isHeld);
    else this.#verdicts.set(required, new Map([[resource.id, isHeld]]));
    return isHeld;
  }

  #readHeld(resource: Resource, required: RoleRequirement): Awaitable<boolean> {
    return whenThere(this.on(resource), ({ roles }) => hasOneOf(roles, required));
  }

  /** Keeps the roles on a resource that were read together with something else. */
  keep(held: GrantedRoles): void {
    this.#roles.keep(held.resource.type, held.resource.id, this.#compose(held));
  }

  /** Returns the roles on a resource, inherited ones included, if they have been read. */
  peek({ type, id }: Resource): readonly string[] | undefined {
    return this.#roles.peek(type, id)?.roles;
  }

  /** Reads the roles on many resources, in one call with other requests, except those already read. */
  async load(resources: readonly Resource[]): Promise<void> {
    await whenAllThere(resources.map((resource) => this.amongOthers(resource)));
  }

  /** Does the same in a call of its own, with less work for each resource. */
  async loadAlone(resources: readonly Resource[]): Promise<void> {
    const missing = this.#findMissing(resources);
    if (missing.length === 0) return;
    const paths = await this.#store.readPaths(this.#userId, missing);
    for (const [index, { type, id }] of missing.entries()) this.#roles.keep(type, id, this.#compose(paths[index]));
  }

  /** Without duplicates: the records of a page may all refer to one resource. */
  #findMissing(resources: readonly Resource[]): readonly Resource[] {
    const seen = new Map<string, Set<string>>();
    return resources.filter(({ type, id }) => {
      const ids = seen.get(type) ?? new Set<string>();
      if (ids.has(id) || this.#roles.has(type, id)) return false;
      seen.set(type, ids.add(id));
      return true;
    });
  }

  /**
   * Says whether the user holds a role of one of the kinds on any resource, in one call, except for kinds already read.
   */
  holdsAnywhere(kinds: readonly RoleKind[]): Awaitable<boolean> {
    const unknown = this.#unknownKinds(kinds);
    const reading = unknown.length > 0 ? this.#store.findKinds(this.#userId, unknown) : [];
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
      kinds.map(({ type, role }) => this.#kinds.get(type, role, async () => isAmong({ type, role }, await read()))),
    );
  }

  /** Lists the resources on which the user directly holds a role of one of the kinds. */
  async assignedIn(kinds: readonly RoleKind[]): Promise<readonly Resource[]> {
    const held = await this.#store.listByUser(this.#userId);
    const wanted = held.filter(({ resource, role }) =>
      kinds.some((kind) => kind.type === resource.type && kind.role === role),
    );
    return uniqueBy(
      wanted.map(({ resource }) => resource),
      ({ type, id }) => `${type}:${id}`,
    );
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

  #compose(held: GrantedRoles | undefined): ResourceRoles {
    if (!held) throw new TypeError('The store did not answer for every resource.');
    return { held, roles: composeRoles(this.#composition, held) };
  }
}

function isAmong({ type, role }: RoleKind, kinds: readonly RoleKind[]): boolean {
  return kinds.some((kind) => kind.type === type && kind.role === role);
}

/** Says whether one of the roles is sufficient. */
export function hasOneOf(roles: readonly string[], required: RoleRequirement): boolean {
  return roles.some((role) => required.roles.has(role));
}
