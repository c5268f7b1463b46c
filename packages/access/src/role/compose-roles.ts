import type { HeldRoles } from '@x/store';
import type { CompiledAccess } from '../definition/compile-access.ts';

/**
 * Composes the roles that a user has on a resource, each once: those held directly, and those inherited along every path,
 * each hop mapped by what the child's type inherits from the parent's.
 */
export function composeRoles(access: CompiledAccess, held: HeldRoles): readonly string[] {
  return compose({ access, known: new Map() }, held);
}

interface Composition {
  readonly access: CompiledAccess;
  /** Resources with several parents: were they composed anew for each path, there would be no end of paths. */
  readonly known: Map<HeldRoles, readonly string[]>;
}

function compose(composition: Composition, held: HeldRoles): readonly string[] {
  const { roles, parents, resource } = held;
  if (parents.length === 0) return roles;
  const known = composition.known.get(held);
  if (known) return known;
  const composed = [...roles];
  const inherits = composition.access.types.get(resource.type)?.inherits;
  for (const parent of parents) {
    const map = inherits?.get(parent.resource.type);
    if (!map) continue;
    for (const role of compose(composition, parent)) {
      const inherited = map.get(role);
      if (inherited !== undefined && !composed.includes(inherited)) composed.push(inherited);
    }
  }
  if (parents.length > 1) composition.known.set(held, composed);
  return composed;
}
