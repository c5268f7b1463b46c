import {
  type GrantedResources,
  type GrantedRoles,
  type NewRoleAssignment,
  RequiredRoles,
  type Resource,
  type RoleAssignment,
  type RoleAssignmentStore,
  type RoleKind,
  type UserId,
} from '@x/store';
import type { IsGranted } from '@x/store/where';
import { PairTable } from '../database/pair-table.ts';
import type { Scope } from '../database/scope.ts';
import { type Edge, type EdgeTable, keysBelow } from './hierarchy.ts';
import { copyResource, toResourceKey } from './resource-key.ts';

/** Creates the role-assignment store of a scope. */
export function createRoleAssignmentStore(scope: Scope<RoleTables>): RoleAssignmentStore {
  return {
    assign: async (assignment) => {
      // Copied first: the caller may change it while the step waits.
      const copied = { ...copyAssignment(assignment), grantedBy: assignment.grantedBy ?? null };
      return scope.write(({ assignments }) => assign(assignments, copied));
    },
    revoke: async (assignment) => {
      const copied = copyAssignment(assignment);
      return scope.write(({ assignments }) => revoke(assignments, copied));
    },
    listByUser: async (userId) => scope.read(({ assignments }) => flatten(assignments.selectFirst(userId))),
    listByResource: async (resource) =>
      scope.read(({ assignments }) => flatten(assignments.selectSecond(toResourceKey(resource)))),
    listGrantedBy: async (grantor) => scope.read(({ assignments }) => listGranted(assignments, grantor)),
    revokeGrantedBy: async (grantor) =>
      scope.write(({ assignments }) => revokeAll(assignments, listGranted(assignments, grantor))),
    listOthers: async (userId, resources) =>
      scope.read((tables) => listOthers(tables, userId, resources.map(toResourceKey))),
    revokeOthers: async (userId, resources) => {
      const roots = resources.map(toResourceKey);
      return scope.write((tables) => revokeAll(tables.assignments, listOthers(tables, userId, roots)));
    },
    readPaths: (userId, resources) => scope.read((tables) => readPaths(tables, userId, resources)),
    hasRoleNow: (userId, resource, required) =>
      scope.readNow((tables) => new RoleSearch(tables, userId).finds(toResourceKey(resource), required)),
    findKinds: async (userId, kinds) => scope.read(({ assignments }) => findKinds(assignments, userId, kinds)),
  };
}

/** The tables that say who has which role where. */
export interface RoleTables {
  readonly assignments: AssignmentTable;
  readonly edges: EdgeTable;
}

function copyAssignment({ userId, resource, role }: RoleAssignment): RoleAssignment {
  return { userId, resource: copyResource(resource), role };
}

function assign(
  assignments: AssignmentTable,
  { userId, resource, role, grantedBy }: Required<NewRoleAssignment>,
): boolean {
  const resourceKey = toResourceKey(resource);
  const direct = assignments.get(userId, resourceKey);
  if (direct?.roles.includes(role)) return false;
  const roles = Object.freeze([...(direct?.roles ?? none), role]);
  const grantors = [...(direct?.grantors ?? none), grantedBy];
  assignments.put({ userId, resource, resourceKey, roles, grantors });
  return true;
}

function revoke(assignments: AssignmentTable, { userId, resource, role }: RoleAssignment): boolean {
  const direct = assignments.get(userId, toResourceKey(resource));
  const index = direct?.roles.indexOf(role) ?? -1;
  if (!direct || index === -1) return false;
  const roles = Object.freeze(direct.roles.toSpliced(index, 1));
  if (roles.length > 0) assignments.put({ ...direct, roles, grantors: direct.grantors.toSpliced(index, 1) });
  else assignments.delete(userId, direct.resourceKey);
  return true;
}

function revokeAll(assignments: AssignmentTable, revoked: readonly RoleAssignment[]): readonly RoleAssignment[] {
  for (const assignment of revoked) revoke(assignments, assignment);
  return revoked;
}

function listGranted(assignments: AssignmentTable, grantor: UserId): readonly RoleAssignment[] {
  return assignments.selectGrantor(grantor).flatMap((direct) => {
    const { userId, resource, roles, grantors } = direct;
    if (userId === grantor) return [];
    return roles.filter((_, index) => grantors[index] === grantor).map((role) => ({ userId, resource, role }));
  });
}

function listOthers(
  { assignments, edges }: RoleTables,
  userId: UserId,
  roots: readonly string[],
): readonly RoleAssignment[] {
  const keys = new Set(roots.flatMap((root) => [root, ...keysBelow(edges, root)]));
  return [...keys].flatMap((key) =>
    flatten(assignments.selectSecond(key)).filter((assignment) => assignment.userId !== userId),
  );
}

function flatten(entries: Iterable<DirectRoles>): readonly RoleAssignment[] {
  return Array.from(entries).flatMap(({ userId, resource, roles }) =>
    roles.map((role) => ({ userId, resource, role })),
  );
}

function readPaths(tables: RoleTables, userId: UserId, resources: readonly Resource[]): readonly GrantedRoles[] {
  const { assignments, edges } = tables;
  const seen = resources.length > 1 ? new Map<string, GrantedRoles>() : undefined;
  const climbing = { assignments, edges, userId };
  return resources.map((resource) => climb(climbing, resource, toResourceKey(resource), seen));
}

interface Climb {
  readonly assignments: AssignmentTable;
  readonly edges: EdgeTable;
  readonly userId: UserId;
}

/**
 * @param known - what was climbed already; undefined as long as nothing can be reached twice
 */
function climb(
  climbing: Climb,
  resource: Resource,
  key: string,
  known: Map<string, GrantedRoles> | undefined,
): GrantedRoles {
  const seen = known?.get(key);
  if (seen) return seen;
  const { assignments, edges, userId } = climbing;
  const above = [...edges.selectFirst(key)];
  const reached = known ?? (above.length > 1 ? new Map<string, GrantedRoles>() : undefined);
  const parents = above.map(({ parent, parentKey }) => climb(climbing, parent, parentKey, reached));
  const path = { resource, roles: assignments.get(userId, key)?.roles ?? none, parents };
  reached?.set(key, path);
  return path;
}

const none: readonly never[] = Object.freeze([]);

function findKinds(assignments: AssignmentTable, userId: UserId, kinds: readonly RoleKind[]): readonly RoleKind[] {
  const wanted = new Map<string, Map<string, RoleKind>>();
  for (const kind of kinds) wanted.set(kind.type, (wanted.get(kind.type) ?? new Map()).set(kind.role, kind));
  const found = new Set<RoleKind>();
  for (const { resource, roles } of assignments.selectFirst(userId)) {
    for (const role of roles) {
      const kind = wanted.get(resource.type)?.get(role);
      if (kind) found.add(kind);
    }
    if (found.size === kinds.length) break;
  }
  return [...found];
}

/** All roles that a user was assigned on one resource; at least one. */
interface DirectRoles {
  readonly userId: UserId;
  readonly resource: Resource;
  readonly resourceKey: string;
  readonly roles: readonly string[];
  /** Who granted each of the roles. */
  readonly grantors: readonly (UserId | null)[];
}

/** Assigned roles, by user (first key) and resource (second key), and by who granted them. */
export class AssignmentTable {
  readonly #assigned: PairTable<DirectRoles>;
  /** By grantor (first key), and by user and resource (second key). */
  readonly #granted: PairTable<DirectRoles>;

  constructor(assigned: PairTable<DirectRoles> = new PairTable(), granted: PairTable<DirectRoles> = new PairTable()) {
    this.#assigned = assigned;
    this.#granted = granted;
  }

  get(userId: UserId, resourceKey: string): DirectRoles | undefined {
    return this.#assigned.get(userId, resourceKey);
  }

  groupFirst(userId: UserId): ReadonlyMap<string, DirectRoles> {
    return this.#assigned.groupFirst(userId);
  }

  selectFirst(userId: UserId): readonly DirectRoles[] {
    return this.#assigned.selectFirst(userId);
  }

  selectSecond(resourceKey: string): readonly DirectRoles[] {
    return this.#assigned.selectSecond(resourceKey);
  }

  /** Lists what a user granted at least one of the roles of. */
  selectGrantor(grantor: UserId): readonly DirectRoles[] {
    return this.#granted.selectFirst(grantor);
  }

  put(direct: DirectRoles): void {
    const { userId, resourceKey, grantors } = direct;
    this.#forgetGrantors(userId, resourceKey);
    this.#assigned.put(userId, resourceKey, direct);
    for (const grantor of grantors) {
      if (grantor !== null) this.#granted.put(grantor, toGrantKey(userId, resourceKey), direct);
    }
  }

  delete(userId: UserId, resourceKey: string): void {
    this.#forgetGrantors(userId, resourceKey);
    this.#assigned.delete(userId, resourceKey);
  }

  overlay(): AssignmentTable {
    return new AssignmentTable(this.#assigned.overlay(), this.#granted.overlay());
  }

  commit(): void {
    this.#assigned.commit();
    this.#granted.commit();
  }

  #forgetGrantors(userId: UserId, resourceKey: string): void {
    for (const grantor of this.#assigned.get(userId, resourceKey)?.grantors ?? none) {
      if (grantor !== null) this.#granted.delete(grantor, toGrantKey(userId, resourceKey));
    }
  }
}

/** No text contains U+0000, so it can separate the two. */
function toGrantKey(userId: UserId, resourceKey: string): string {
  return `${userId}\0${resourceKey}`;
}

/**
 * Creates the function that says, for the rows of one call, which resources are granted, by walking up from each of them.
 */
export function isGrantedIn(tables: RoleTables): IsGranted {
  const searches = new Map<GrantedResources, (id: string) => boolean>();
  return (resources, id) => {
    const known = searches.get(resources) ?? toSearch(tables, resources);
    searches.set(resources, known);
    return known(id);
  };
}

function toSearch(
  tables: RoleTables,
  { userId, type, roles, inheritance, from }: GrantedResources,
): (id: string) => boolean {
  const required = new RequiredRoles({ type, roles, inheritance });
  const search = new RoleSearch(tables, userId, from);
  return (id) => search.finds(toResourceKey({ type, id }), required);
}

/** Looks for a sufficient role, on the way up. */
class RoleSearch {
  readonly #edges: EdgeTable;
  /** The resources on which roles count; undefined for all. */
  readonly #from: ReadonlySet<string> | undefined;
  /** The roles that the user was assigned, by the key of the resource. */
  readonly #direct: ReadonlyMap<string, DirectRoles>;
  /** The outcomes on resources with several parents, which many paths may lead to; undefined as long as there is none. */
  #outcomes: Map<RequiredRoles, Map<string, boolean>> | undefined;

  constructor({ assignments, edges }: RoleTables, userId: UserId, from?: readonly Resource[]) {
    this.#from = from && new Set(from.map(toResourceKey));
    this.#edges = edges;
    this.#direct = assignments.groupFirst(userId);
  }

  finds(resourceKey: string, requiredThere: RequiredRoles): boolean {
    for (let [key, required] = [resourceKey, requiredThere]; ;) {
      if (this.#counts(key) && isEnough(this.#direct.get(key), required)) return true;
      const above = this.#edges.selectFirst(key);
      const [edge] = above;
      if (!edge) return false;
      if (above.length > 1) return this.#findsAbove(key, required, above);
      const next = required.above(edge.parent.type);
      if (!next) return false;
      [key, required] = [edge.parentKey, next];
    }
  }

  #counts(key: string): boolean {
    return this.#from === undefined || this.#from.has(key);
  }

  #findsAbove(key: string, required: RequiredRoles, above: readonly Edge[]): boolean {
    const outcomes = (this.#outcomes ??= new Map<RequiredRoles, Map<string, boolean>>());
    const ofRoles = outcomes.get(required) ?? new Map<string, boolean>();
    outcomes.set(required, ofRoles);
    const known = ofRoles.get(key);
    if (known !== undefined) return known;
    const found = above.some(({ parent, parentKey }) => {
      const next = required.above(parent.type);
      return next !== undefined && this.finds(parentKey, next);
    });
    ofRoles.set(key, found);
    return found;
  }
}

function isEnough(direct: DirectRoles | undefined, required: RequiredRoles): boolean {
  if (!direct) return false;
  for (const role of direct.roles) if (required.roles.has(role)) return true;
  return false;
}
