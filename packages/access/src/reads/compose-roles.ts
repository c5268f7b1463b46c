import type { GrantedRoles, Resource } from '@x/store';
import type { CompiledAccess } from '../definition/compile-access.ts';

/** The inputs of composing roles, and the intermediate results. */
export interface Composition {
  readonly access: CompiledAccess;
  /**
   * What resources have inherited from each parent so far. Resources share ancestors, and without this memo a hierarchy
   * with multiple parents would be walked once per path, of which there can be exponentially many.
   */
  readonly inherited: Map<GrantedRoles, InheritedRoles[]>;
}

/** What a parent passes down to its children of one type. */
interface InheritedRoles {
  readonly type: string;
  readonly roles: readonly string[];
}

/**
 * Composes the roles that a user has on a resource, without duplicates: those assigned directly, and those inherited
 * along every path, each step mapped by the `inherits` of the child's type.
 */
export function composeRoles(composition: Composition, { roles, parents, resource }: GrantedRoles): readonly string[] {
  const [only] = parents;
  if (!only) return roles;
  // On a page, most records have one parent and no roles of their own, so they share its list.
  if (parents.length === 1 && roles.length === 0) return inherit(composition, only, resource.type);
  const composed = [...roles];
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

/** @param map - what each of the roles becomes; itself by default */
function addEach(roles: string[], others: readonly string[], map?: ReadonlyMap<string, string>): void {
  for (const other of others) {
    const role = map ? map.get(other) : other;
    if (role !== undefined && !roles.includes(role)) roles.push(role);
  }
}

/** Lists everything above a resource, without duplicates, the nearest first. */
export function listAncestors(granted: GrantedRoles): readonly Resource[] {
  const found = new Set(granted.parents);
  // Iterating a set includes items that are added meanwhile.
  for (const each of found) for (const parent of each.parents) found.add(parent);
  return Array.from(found, ({ resource }) => resource);
}
