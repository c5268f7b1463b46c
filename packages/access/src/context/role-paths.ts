import { compareCodePoints, type GrantedRoles, type Resource } from '@x/store';
import type { CompiledAccess, RoleRequirement } from '../definition/compile-access.ts';

/** How a user gets a role: from the assignment, step by step, down to the resource. */
export type RolePath = readonly [RoleStep, ...RoleStep[]];

/** A role on a resource, as one step of a path. */
export interface RoleStep {
  readonly resource: Resource;
  readonly role: string;
  /** In the first step, the group that the role was assigned to; missing if it was assigned to the user. */
  readonly groupId?: string;
}

/** Finds the shortest path to a sufficient role on a resource; undefined if there is none. */
export function findWay(search: WaySearch, granted: GrantedRoles, required: RoleRequirement): RolePath | undefined {
  return findPaths(search, granted).find((path) => required.roles.has(roleOf(path)));
}

/** The model that paths follow, and the paths found so far. */
export interface WaySearch {
  readonly access: CompiledAccess;
  readonly known: Map<GrantedRoles, readonly RolePath[]>;
}

/** Finds the shortest path for every assignment and role on a resource, the shortest paths first. */
export function findPaths(search: WaySearch, granted: GrantedRoles): readonly RolePath[] {
  const known = search.known.get(granted);
  if (known) return known;
  const { resource, roles, rolesByGroup, parents } = granted;
  const inherits = search.access.types.get(resource.type)?.inherits;
  const inherited = parents.flatMap((parent) => {
    const map = inherits?.get(parent.resource.type);
    if (!map) return [];
    return findPaths(search, parent).flatMap((path): readonly RolePath[] => {
      const role = map.get(roleOf(path));
      return role === undefined ? [] : [[...path, { resource, role }]];
    });
  });
  const own = roles.map((role): RolePath => [{ resource, role }]);
  const byGroup = rolesByGroup.map(({ role, groupId }): RolePath => [{ resource, role, groupId }]);
  const paths = pickShortest([...own, ...byGroup, ...inherited]);
  search.known.set(granted, paths);
  return paths;
}

/** Picks one path for each assignment and role, which bounds their number however many paths there are. */
function pickShortest(paths: readonly RolePath[]): readonly RolePath[] {
  const shortest = new Map<string, RolePath>();
  const sorted = paths.toSorted(
    (a, b) => a.length - b.length || compareCodePoints(JSON.stringify(a), JSON.stringify(b)),
  );
  for (const path of sorted) {
    const ends = JSON.stringify([path[0], roleOf(path)]);
    if (!shortest.has(ends)) shortest.set(ends, path);
  }
  return [...shortest.values()];
}

/** Returns the role that a path ends in. */
export function roleOf(path: RolePath): string {
  return path[path.length - 1]?.role ?? path[0].role;
}
