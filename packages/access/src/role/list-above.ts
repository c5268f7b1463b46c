import type { HeldRoles, Resource } from '@x/store';

/** Lists all that is above a resource, each once, the nearest first. */
export function listAbove(held: HeldRoles): readonly Resource[] {
  const found = new Set(held.parents);
  // A set goes on with what is added to it meanwhile.
  for (const each of found) for (const parent of each.parents) found.add(parent);
  return Array.from(found, ({ resource }) => resource);
}
