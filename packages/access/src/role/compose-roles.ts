import type { HeldRoles } from '@x/store';
import type { CompiledAccess } from '../definition/compile-access.ts';

/** What roles are composed by, and what came of it so far. */
export interface Composition {
  readonly access: CompiledAccess;
  /**
   * What each resource hands down to those below it. Resources share what is above them, and those with several parents would be
   * composed anew for each path, of which there is no end.
   */
  readonly handedDown: Map<HeldRoles, Inheritance[]>;
}

/** What resources of one type have by a parent. */
interface Inheritance {
  readonly type: string;
  readonly roles: readonly string[];
}

/**
 * Composes the roles that a user has on a resource, each once: those held directly, and those inherited along every path,
 * each hop mapped by what the child's type inherits from the parent's.
 */
export function composeRoles(composition: Composition, { roles, parents, resource }: HeldRoles): readonly string[] {
  const [only] = parents;
  if (!only) return roles;
  // On a page most have one parent and nothing of their own, and so one and the same list.
  if (parents.length === 1 && roles.length === 0) return inherit(composition, only, resource.type);
  const composed = [...roles];
  for (const parent of parents) addEach(composed, inherit(composition, parent, resource.type));
  return composed;
}

function inherit(composition: Composition, parent: HeldRoles, type: string): readonly string[] {
  const { access, handedDown } = composition;
  const known = handedDown.get(parent);
  // Nearly all that is below a resource is of one type.
  for (const inheritance of known ?? []) if (inheritance.type === type) return inheritance.roles;
  const map = access.types.get(type)?.inherits.get(parent.resource.type);
  const roles: string[] = [];
  if (map) addEach(roles, composeRoles(composition, parent), map);
  if (known) known.push({ type, roles });
  else handedDown.set(parent, [{ type, roles }]);
  return roles;
}

/** @param map - what each of the roles becomes; itself by default */
function addEach(roles: string[], others: readonly string[], map?: ReadonlyMap<string, string>): void {
  for (const other of others) {
    const role = map ? map.get(other) : other;
    if (role !== undefined && !roles.includes(role)) roles.push(role);
  }
}
