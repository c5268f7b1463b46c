import type { HeldRoles, Resource } from '@x/store';

import type { SqlRow } from './sql-driver.ts';

/** Links the edges and roles of paths, each a row, to what is held on the resources that they lead up from. */
export function linkPaths(resources: readonly Resource[], rows: readonly SqlRow[]): readonly HeldRoles[] {
  const places = new Map<string, Place>();
  for (const columns of rows) {
    const row = columns as unknown as PathRow;
    const place = placeOf(places, row.type, row.id);
    if (row.role !== null) place.roles.push(row.role);
    else if (row.parent_type !== null && row.parent_id !== null) {
      place.parents.push(placeOf(places, row.parent_type, row.parent_id));
    }
  }
  return resources.map(({ type, id }) => placeOf(places, type, id));
}

interface Place extends HeldRoles {
  readonly roles: string[];
  readonly parents: Place[];
}

/** No text holds U+0000, so it can stand between a type and an id. */
function placeOf(places: Map<string, Place>, type: string, id: string): Place {
  const key = `${type}\0${id}`;
  let place = places.get(key);
  if (!place) places.set(key, (place = { resource: { type, id }, roles: [], parents: [] }));
  return place;
}

/** Of an edge, or of a role. */
interface PathRow {
  readonly type: string;
  readonly id: string;
  readonly parent_type: string | null;
  readonly parent_id: string | null;
  readonly role: string | null;
}
