import type { HeldRoles, Resource } from '@x/store';

/** What is held on a resource, while it is put together. Many share the lists that they have, so these are never changed. */
export interface Place extends HeldRoles {
  roles: readonly string[];
  parents: readonly Place[];
}

/** Makes the place of a resource that nothing is known of yet. */
export function toPlace(resource: Resource): Place {
  return { resource, roles: none, parents: none };
}

const none: readonly never[] = Object.freeze([]);

/** Rows repeat a role for each edge to where it is held, and an edge for each path that it is part of. */
export function withOnce<Item>(items: readonly Item[], item: Item | null): readonly Item[] {
  return item === null || items.includes(item) ? items : [...items, item];
}
