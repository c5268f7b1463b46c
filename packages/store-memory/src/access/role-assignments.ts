import {
  compareCodePoints,
  type Grant,
  type GrantsWithin,
  type GrantedResources,
  type GroupRole,
  RequiredRoles,
  type Resource,
  type RoleAssignment,
  type RoleAssignmentStore,
  type RoleKind,
  type RolesOfType,
  toUserId,
  type UserGrant,
  type UserId,
  type UserRole,
} from '@x/store';
import { logged, recordedIf } from '@x/store/engine';
import type { IsGranted } from '@x/store/where';
import type { StepExecutor } from '../database/executor.ts';
import { type EventTable, record } from '../events.ts';
import { type AssignmentTable, type DirectRoles, type Granting, toAssignments, toGrants } from './assignment-table.ts';
import { copyHolder, groupKeysOf, toHolderKey, toMemberKey } from './holders.ts';
import { type Edge, type EdgeTable, keysBelow } from './hierarchy.ts';
import { readPaths, type RoleTables } from './read-paths.ts';
import { copyResource, toResourceKey } from './resource-key.ts';
import { listGranted, listGrantees } from './role-lookups.ts';

/** Creates the role-assignment store. */
export function createRoleAssignmentStore(
  executor: StepExecutor<RoleTables & { readonly events: EventTable }>,
): RoleAssignmentStore {
  return {
    assign: async (assignment, cause) => {
      // Copied first: the caller may change it while the step waits.
      const [copied, grantedBy] = [copyAssignment(assignment), cause?.by ? toUserId(cause.by) : null];
      return record(executor, cause, ({ assignments }, grantedAt) =>
        recordedIf(assign(assignments, copied, { grantedBy, grantedAt }), logged.role('role.assigned', copied)),
      );
    },
    revoke: async (assignment, cause) => {
      const copied = copyAssignment(assignment);
      return record(executor, cause, ({ assignments }) =>
        recordedIf(revoke(assignments, copied), logged.role('role.revoked', copied)),
      );
    },
    listByUser: async (userId) =>
      executor.read(({ assignments }) => toUserRoles(userId, assignments.selectFirst(userId))),
    listOfType: async (userId, roles) => executor.read(({ assignments }) => listOfType(assignments, userId, roles)),
    listWithin: async (top, grants) => {
      const topKey = toResourceKey(top);
      return executor.read((tables) => listWithin(tables, topKey, grants).slice(0, grants.limit));
    },
    listBelow: async (top, { after, limit }) => {
      const topKey = toResourceKey(top);
      return executor.read((tables) => listBelow(tables, topKey, after).slice(0, limit));
    },
    listByGroup: async (groupId) =>
      executor.read(({ assignments }) =>
        flattenTo(assignments.selectFirst(toHolderKey({ groupId })), (assigned): GroupRole => ({
          groupId,
          ...assigned,
        })),
      ),
    listAssigned: async (userId, kinds) => executor.read((tables) => listAssigned(tables, userId, kinds)),
    listByResource: async (resource) =>
      executor.read(({ assignments }) => toAssignments(assignments.selectSecond(toResourceKey(resource)))),
    listGrantedBy: async (grantor, limit) =>
      executor.read(({ assignments }) => listGrantedBy(assignments, grantor).slice(0, limit).map(withoutGranting)),
    listOthers: async (userId, { resources, isBelow, limit }) => {
      const roots = resources.map(toResourceKey);
      return executor.read((tables) => listOthers(tables, userId, { roots, isBelow }).slice(0, limit));
    },
    readPaths: (userId, resources) => executor.read((tables) => readPaths(tables, userId, resources)),
    hasRoleNow: (userId, resource, required) =>
      executor.readNow((tables) => new RoleSearch(tables, userId).finds(toResourceKey(resource), required)),
    listGranted: async (resources, page) =>
      executor.read((tables) => listGranted(tables, selectHeld(tables, resources.userId), resources, page)),
    listGrantees: async (users, page) => executor.read((tables) => listGrantees(tables, users, page)),
    findKinds: async (userId, kinds) => executor.read((tables) => findKinds(tables, userId, kinds)),
  };
}

function copyAssignment({ resource, role, ...holder }: RoleAssignment): RoleAssignment {
  return { ...copyHolder(holder), resource: copyResource(resource), role };
}

function assign(
  assignments: AssignmentTable,
  { resource, role, ...holder }: RoleAssignment,
  granting: Granting,
): boolean {
  const [resourceKey, holderKey] = [toResourceKey(resource), toHolderKey(holder)];
  const direct = assignments.get(holderKey, resourceKey);
  if (direct?.roles.includes(role)) return false;
  const roles = Object.freeze([...(direct?.roles ?? none), role]);
  const grantings = [...(direct?.grantings ?? none), granting];
  assignments.put({ holder: copyHolder(holder), holderKey, resource, resourceKey, roles, grantings });
  return true;
}

function revoke(assignments: AssignmentTable, { resource, role, ...holder }: RoleAssignment): boolean {
  const direct = assignments.get(toHolderKey(holder), toResourceKey(resource));
  const index = direct?.roles.indexOf(role) ?? -1;
  if (!direct || index === -1) return false;
  const roles = Object.freeze(direct.roles.toSpliced(index, 1));
  if (roles.length > 0) assignments.put({ ...direct, roles, grantings: direct.grantings.toSpliced(index, 1) });
  else assignments.delete(direct.holderKey, direct.resourceKey);
  return true;
}

function listOfType(
  assignments: AssignmentTable,
  userId: UserId,
  { type, role, after, limit }: RolesOfType,
): readonly UserRole[] {
  // The first by their ids, without sorting the others: a user may have any number.
  const first: DirectRoles[] = [];
  for (const direct of assignments.selectFirst(userId)) {
    const { resource, roles } = direct;
    if (resource.type !== type || (role !== undefined && !roles.includes(role))) continue;
    if (after !== undefined && compareCodePoints(resource.id, after) <= 0) continue;
    const isLater = (other: DirectRoles): boolean => compareCodePoints(other.resource.id, resource.id) > 0;
    const last = first[limit - 1];
    if (last && !isLater(last)) continue;
    const place = first.findIndex(isLater);
    first.splice(place === -1 ? first.length : place, 0, direct);
    if (first.length > limit) first.pop();
  }
  const ofEach = ({ resource, roles }: DirectRoles): readonly UserRole[] =>
    roles
      .filter((each) => role === undefined || each === role)
      .toSorted(compareCodePoints)
      .map((each) => ({ userId, resource, role: each }));
  return first.flatMap(ofEach).slice(0, limit);
}

function listWithin(
  { assignments, edges }: RoleTables,
  topKey: string,
  { userId, grantedBy }: GrantsWithin,
): readonly Grant[] {
  const within = new Set([topKey, ...keysBelow(edges, topKey)]);
  const grants =
    userId === undefined ? listGrantedBy(assignments, grantedBy) : toGrants(assignments.selectFirst(userId));
  return grants.filter(({ resource }) => within.has(toResourceKey(resource)));
}

/** Lists the roles that a user granted others. */
function listGrantedBy(assignments: AssignmentTable, grantor: UserId): readonly Grant[] {
  return toGrants(assignments.selectGrantor(grantor)).filter(
    ({ userId, grantedBy }) => grantedBy === grantor && userId !== grantor,
  );
}

function withoutGranting({ grantedBy: _by, grantedAt: _at, ...assignment }: Grant): RoleAssignment {
  return assignment;
}

function listBelow({ assignments, edges }: RoleTables, topKey: string, after: UserRole | null): readonly UserGrant[] {
  const grants = toGrants([...keysBelow(edges, topKey)].flatMap((key) => assignments.selectSecond(key)));
  return grants
    .filter((grant) => grant.userId !== undefined)
    .filter((grant) => after === null || compareRoles(grant, after) > 0)
    .toSorted(compareRoles);
}

function compareRoles(a: UserRole, b: UserRole): number {
  return (
    compareCodePoints(a.userId, b.userId) ||
    compareCodePoints(a.resource.type, b.resource.type) ||
    compareCodePoints(a.resource.id, b.resource.id) ||
    compareCodePoints(a.role, b.role)
  );
}

function listOthers(
  { assignments, edges }: RoleTables,
  userId: UserId,
  { roots, isBelow }: { readonly roots: readonly string[]; readonly isBelow: boolean },
): readonly RoleAssignment[] {
  const keys = new Set(isBelow ? roots.flatMap((root) => [root, ...keysBelow(edges, root)]) : roots);
  return [...keys].flatMap((key) =>
    toAssignments(assignments.selectSecond(key)).filter((assignment) => assignment.userId !== userId),
  );
}

function toUserRoles(userId: UserId, entries: Iterable<DirectRoles>): readonly UserRole[] {
  return flattenTo(entries, (assigned): UserRole => ({ userId, ...assigned }));
}

function flattenTo<Assignment>(
  entries: Iterable<DirectRoles>,
  toAssignment: (assigned: Pick<RoleAssignment, 'resource' | 'role'>) => Assignment,
): readonly Assignment[] {
  return Array.from(entries).flatMap(({ resource, roles }) => roles.map((role) => toAssignment({ resource, role })));
}

/** Lists what a user and their groups were assigned. */
function selectHeld({ assignments, memberships }: RoleTables, userId: UserId): readonly DirectRoles[] {
  const groupKeys = groupKeysOf(memberships, toMemberKey(userId));
  const own = assignments.selectFirst(userId);
  return groupKeys.size === 0 ? own : [userId, ...groupKeys].flatMap((key) => assignments.selectFirst(key));
}

function listAssigned(tables: RoleTables, userId: UserId, kinds: readonly RoleKind[]): readonly Resource[] {
  const found = new Map<string, Resource>();
  for (const { resource, resourceKey, roles } of selectHeld(tables, userId)) {
    if (kinds.some(({ type, role }) => type === resource.type && roles.includes(role)))
      found.set(resourceKey, resource);
  }
  return [...found.values()];
}

const none: readonly never[] = Object.freeze([]);

function findKinds(tables: RoleTables, userId: UserId, kinds: readonly RoleKind[]): readonly RoleKind[] {
  const wanted = new Map<string, Map<string, RoleKind>>();
  for (const kind of kinds) wanted.set(kind.type, (wanted.get(kind.type) ?? new Map()).set(kind.role, kind));
  const found = new Set<RoleKind>();
  for (const { resource, roles } of selectHeld(tables, userId)) {
    for (const role of roles) {
      const kind = wanted.get(resource.type)?.get(role);
      if (kind) found.add(kind);
    }
    if (found.size === kinds.length) break;
  }
  return [...found];
}

/** Creates the function that says which resources of one call are granted, by walking up from each of them. */
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
  readonly #own: ReadonlyMap<string, DirectRoles>;
  /** The same of each of their groups. */
  readonly #byGroup: readonly ReadonlyMap<string, DirectRoles>[];
  /** The outcomes on resources with several parents, which many paths may lead to; undefined without any. */
  #outcomes: Map<RequiredRoles, Map<string, boolean>> | undefined;

  constructor({ assignments, edges, memberships }: RoleTables, userId: UserId, from?: readonly Resource[]) {
    this.#from = from && new Set(from.map(toResourceKey));
    this.#edges = edges;
    this.#own = assignments.groupFirst(userId);
    const groupKeys = groupKeysOf(memberships, toMemberKey(userId));
    this.#byGroup = groupKeys.size === 0 ? none : Array.from(groupKeys, (key) => assignments.groupFirst(key));
  }

  finds(resourceKey: string, requiredThere: RequiredRoles): boolean {
    for (let [key, required] = [resourceKey, requiredThere]; ;) {
      if (this.#counts(key) && this.#isEnough(key, required)) return true;
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

  #isEnough(key: string, required: RequiredRoles): boolean {
    if (isEnough(this.#own.get(key), required)) return true;
    for (const group of this.#byGroup) if (isEnough(group.get(key), required)) return true;
    return false;
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
