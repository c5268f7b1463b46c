import { type GrantedResources, RequiredRoles } from '@x/store';
import type { IsGranted } from '@x/store/where';
import { toResourceKey } from './resource-key.ts';
import { RoleSearch } from './role-search.ts';
import type { Tables } from './tables.ts';

/**
 * Creates the function that says, for the rows of one call, which resources are held, by walking up from each of them.
 */
export function isHeldIn(tables: Pick<Tables, 'assignments' | 'edges'>): IsGranted {
  const searches = new Map<GrantedResources, (id: string) => boolean>();
  return (resources, id) => {
    const known = searches.get(resources) ?? toSearch(tables, resources);
    searches.set(resources, known);
    return known(id);
  };
}

function toSearch(
  tables: Pick<Tables, 'assignments' | 'edges'>,
  { userId, type, roles, inheritance, from }: GrantedResources,
): (id: string) => boolean {
  const goal = new RequiredRoles({ type, roles, inheritance });
  const search = new RoleSearch(tables, userId, from);
  return (id) => search.finds(toResourceKey({ type, id }), goal);
}
