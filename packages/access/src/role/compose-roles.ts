import type { HeldRoles } from '@x/store';
import type { CompiledAccess } from '../definition/compile-access.ts';

/** What roles are composed by, and what came of it so far. */
export interface Composition {
  readonly access: CompiledAccess;
  /**
   * Resources share what is above them, and those with several parents would be composed anew for each path, of which there
   * is no end.
   */
  readonly known: Map<HeldRoles, readonly string[]>;
}

/**
 * Composes the roles that a user has on a resource, each once: those held directly, and those inherited along every path,
 * each hop mapped by what the child's type inherits from the parent's.
 */
export function composeRoles(composition: Composition, held: HeldRoles): readonly string[] {
  const { roles, parents, resource } = held;
  if (parents.length === 0) return roles;
  const known = composition.known.get(held);
  if (known) return known;
  const composed = [...roles];
  const inherits = composition.access.types.get(resource.type)?.inherits;
  for (const parent of parents) {
    const map = inherits?.get(parent.resource.type);
    if (!map) continue;
    for (const role of composeRoles(composition, parent)) {
      const inherited = map.get(role);
      if (inherited !== undefined && !composed.includes(inherited)) composed.push(inherited);
    }
  }
  composition.known.set(held, composed);
  return composed;
}
