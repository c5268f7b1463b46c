import type { HeldRoles } from '@x/store';
import type { CompiledAccess } from '../definition/compile-access.ts';

/**
 * Composes the roles that a user has on a resource: those held directly, and those inherited along every path, each hop
 * mapped by what the child's type inherits from the parent's.
 */
export function composeRoles(access: CompiledAccess, held: HeldRoles): ReadonlySet<string> {
  return compose({ access, known: new Map() }, held);
}

interface Composition {
  readonly access: CompiledAccess;
  /** A resource that several paths lead to is composed once, or there would be as many times as there are paths. */
  readonly known: Map<HeldRoles, ReadonlySet<string>>;
}

function compose(composition: Composition, held: HeldRoles): ReadonlySet<string> {
  const known = composition.known.get(held);
  if (known) return known;
  const roles = new Set(held.roles);
  const inherits = composition.access.types.get(held.resource.type)?.inherits;
  for (const parent of held.parents) {
    const map = inherits?.get(parent.resource.type);
    if (!map) continue;
    for (const role of compose(composition, parent)) {
      const inherited = map.get(role);
      if (inherited !== undefined) roles.add(inherited);
    }
  }
  composition.known.set(held, roles);
  return roles;
}
