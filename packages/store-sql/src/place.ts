import type { GrantedRoles, Resource } from '@x/store';

/** The roles on a resource while its paths are being linked. Places share their lists, so these are never changed. */
export interface Place extends GrantedRoles {
  roles: readonly string[];
  parents: readonly Place[];
}

/** Creates the place of a resource, without roles and parents. */
export function toPlace(resource: Resource): Place {
  return { resource, roles: none, parents: none };
}

const none: readonly never[] = Object.freeze([]);

/** Adds an item once: rows repeat a role for each edge to where it is held, and an edge for each path through it. */
export function withOnce<Item>(items: readonly Item[], item: Item | null): readonly Item[] {
  return item === null || items.includes(item) ? items : [...items, item];
}
