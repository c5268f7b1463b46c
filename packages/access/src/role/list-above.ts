import type { GrantedRoles, Resource } from '@x/store';

/** Lists everything above a resource, without duplicates, the nearest first. */
export function listAbove(held: GrantedRoles): readonly Resource[] {
  const found = new Set(held.parents);
  // Iterating a set includes items that are added meanwhile.
  for (const each of found) for (const parent of each.parents) found.add(parent);
  return Array.from(found, ({ resource }) => resource);
}
