import type { HeldRoles, Resource } from '@x/store';

import type { SqlRow } from './sql-driver.ts';

/** Links the edges and roles of paths, each a row, to what is held on the resources that they lead up from. */
export function linkPaths(resources: readonly Resource[], rows: readonly SqlRow[]): readonly HeldRoles[] {
  const places = resources.length + rows.length > maxFew ? new ManyPlaces() : new FewPlaces();
  for (const columns of rows) {
    const row = columns as unknown as PathRow;
    const place = places.get(row.type, row.id);
    if (row.parent_type === null || row.parent_id === null) {
      addOnce(place.roles, row.role);
      continue;
    }
    const parent = places.get(row.parent_type, row.parent_id);
    addOnce(place.parents, parent);
    addOnce(parent.roles, row.role);
  }
  return resources.map(({ type, id }) => places.get(type, id));
}

interface Place extends HeldRoles {
  readonly roles: string[];
  readonly parents: Place[];
}

/** Rows repeat a role for each edge to where it is held, and an edge for each role that is held above it. */
function addOnce<Item>(items: Item[], item: Item | null): void {
  if (item !== null && !items.includes(item)) items.push(item);
}

/** So many are looked through more quickly than the keys of a map are made. */
const maxFew = 16;

/** The places of a short answer. */
class FewPlaces {
  readonly #places: Place[] = [];

  get(type: string, id: string): Place {
    for (const place of this.#places) if (place.resource.id === id && place.resource.type === type) return place;
    const place = toPlace(type, id);
    this.#places.push(place);
    return place;
  }
}

/** The places of an answer of any length. */
class ManyPlaces {
  readonly #places = new Map<string, Place>();

  get(type: string, id: string): Place {
    // No text holds U+0000, so it can stand between a type and an id.
    const key = `${type}\0${id}`;
    let place = this.#places.get(key);
    if (!place) this.#places.set(key, (place = toPlace(type, id)));
    return place;
  }
}

function toPlace(type: string, id: string): Place {
  return { resource: { type, id }, roles: [], parents: [] };
}

/** Of an edge, with a role on the parent if one is there, or of a role on the resource itself. */
interface PathRow {
  readonly type: string;
  readonly id: string;
  readonly parent_type: string | null;
  readonly parent_id: string | null;
  readonly role: string | null;
}
