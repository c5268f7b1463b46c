import type { GrantedRoles, Resource } from '@x/store';
import { type Place, toPlace, withOnce } from './place.ts';
import type { SqlRow } from './sql-driver.ts';

/** Links the edges and roles of all paths up from one resource, which are few. */
export function linkPath({ type, id }: Resource, rows: readonly SqlRow[]): GrantedRoles {
  const places: Place[] = [];
  const find = (of: string, called: string): Place => {
    for (const place of places) if (place.resource.id === called && place.resource.type === of) return place;
    const place = toPlace({ type: of, id: called });
    places.push(place);
    return place;
  };
  for (const columns of rows) {
    const row = columns as unknown as EdgeRow;
    const place = find(row.type, row.id);
    if (row.parent_type === null || row.parent_id === null) {
      place.roles = withOnce(place.roles, row.role);
      continue;
    }
    const parent = find(row.parent_type, row.parent_id);
    place.parents = withOnce(place.parents, parent);
    parent.roles = withOnce(parent.roles, row.role);
  }
  return find(type, id);
}

/** An edge, with a role on the parent if there is one; or a role on the resource itself. */
interface EdgeRow {
  readonly type: string;
  readonly id: string;
  readonly parent_type: string | null;
  readonly parent_id: string | null;
  readonly role: string | null;
}
