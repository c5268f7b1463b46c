import { compareCodePoints, type GrantedRoles, type Resource } from '@x/store';
import type { CompiledAccess } from '../definition/compile-access.ts';

/** A role on a resource, as one step of a way. */
export interface RoleStep {
  readonly resource: Resource;
  readonly role: string;
}

/** How a user gets a role: from the assignment, hop by hop, down to the resource. */
export type RolePath = readonly [RoleStep, ...RoleStep[]];

/**
 * Traces how a user gets each of their roles on a resource: the shortest way for every assignment and role, the
 * shortest ways first.
 */
export function traceRoles(access: CompiledAccess, held: GrantedRoles): readonly RolePath[] {
  return trace({ access, known: new Map() }, held);
}

interface Tracing {
  readonly access: CompiledAccess;
  readonly known: Map<GrantedRoles, readonly RolePath[]>;
}

function trace(tracing: Tracing, held: GrantedRoles): readonly RolePath[] {
  const known = tracing.known.get(held);
  if (known) return known;
  const { resource, roles, parents } = held;
  const inherits = tracing.access.types.get(resource.type)?.inherits;
  const inherited = parents.flatMap((parent) => {
    const map = inherits?.get(parent.resource.type);
    if (!map) return [];
    return trace(tracing, parent).flatMap((way): readonly RolePath[] => {
      const role = map.get(toRole(way));
      return role === undefined ? [] : [[...way, { resource, role }]];
    });
  });
  const ways = keepShortest([...roles.map((role): RolePath => [{ resource, role }]), ...inherited]);
  tracing.known.set(held, ways);
  return ways;
}

/** Returns the role that a way ends in. */
export function toRole(way: RolePath): string {
  return way[way.length - 1]?.role ?? way[0].role;
}

/** Keeps one way for each assignment and role, which bounds their number however many paths there are. */
function keepShortest(ways: readonly RolePath[]): readonly RolePath[] {
  const kept = new Map<string, RolePath>();
  const sorted = ways.toSorted((a, b) => a.length - b.length || compareCodePoints(toText(a), toText(b)));
  for (const way of sorted) {
    const ends = JSON.stringify([way[0], toRole(way)]);
    if (!kept.has(ends)) kept.set(ends, way);
  }
  return [...kept.values()];
}

function toText(way: RolePath): string {
  return JSON.stringify(way);
}
