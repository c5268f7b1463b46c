import type { HeldRoles, Resource } from '@x/store';

import type { SqlRow } from './sql-driver.ts';

/** Links the edges and roles of paths, each a row, to what is held on the resources that they lead up from. */
export function linkPaths(resources: readonly Resource[], rows: readonly SqlRow[]): readonly HeldRoles[] {
  const places = new Map<string, Place>();
  for (const columns of rows) {
    const row = columns as unknown as PathRow;
    const place = placeOf(places, row.type, row.id);
    if (row.parent_type === null || row.parent_id === null) {
      addOnce(place.roles, row.role);
      continue;
    }
    const parent = placeOf(places, row.parent_type, row.parent_id);
    addOnce(place.parents, parent);
    addOnce(parent.roles, row.role);
  }
  return resources.map(({ type, id }) => placeOf(places, type, id));
}

interface Place extends HeldRoles {
  readonly roles: string[];
  readonly parents: Place[];
}

/** Rows repeat a role for each edge to where it is held, and an edge for each role that is held above it. */
function addOnce<Item>(items: Item[], item: Item | null): void {
  if (item !== null && !items.includes(item)) items.push(item);
}

/** No text holds U+0000, so it can stand between a type and an id. */
function placeOf(places: Map<string, Place>, type: string, id: string): Place {
  const key = `${type}\0${id}`;
  let place = places.get(key);
  if (!place) places.set(key, (place = { resource: { type, id }, roles: [], parents: [] }));
  return place;
}

/** Of an edge, with a role on the parent if one is there, or of a role on the resource itself. */
interface PathRow {
  readonly type: string;
  readonly id: string;
  readonly parent_type: string | null;
  readonly parent_id: string | null;
  readonly role: string | null;
}
