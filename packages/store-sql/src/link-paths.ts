import type { Resource } from '@x/store';
import { type IntegerColumn, type ListColumn, toList } from './column.ts';
import { type Place, toPlace, withOnce } from './place.ts';
import type { SqlRow } from './sql-driver.ts';

/** Links the edges and roles of all paths up from many resources. */
export function linkPaths(asked: AskedPlaces, rows: readonly SqlRow[]): void {
  const named = new NamedPlaces(asked);
  for (const columns of rows) {
    const row = columns as unknown as GatheredRow;
    if (row.id === null) {
      const place = asked.at(row.type, Number(row.place));
      place.roles = withOnce(place.roles, row.role);
      continue;
    }
    const parent = named.of(row.type, row.id);
    parent.roles = withOnce(parent.roles, row.role);
    const alone = [parent];
    const link = (child: Place): void => {
      child.parents = child.parents.length === 0 ? alone : withOnce(child.parents, parent);
    };
    for (const child of toList(row.children)) {
      link(typeof child === 'number' ? asked.at(row.child_type, child) : named.of(row.child_type, child));
    }
  }
}

/** The requested places: by type, and all of them in their order. */
export class AskedPlaces {
  readonly all: readonly Place[];
  readonly byType: ReadonlyMap<string, readonly Place[]>;

  constructor(resources: readonly Resource[]) {
    this.all = resources.map(({ type, id }) => toPlace({ type, id }));
    this.byType = Map.groupBy(this.all, ({ resource }) => resource.type);
  }

  at(type: string, index: number): Place {
    const place = this.byType.get(type)?.[index];
    if (!place) throw new TypeError('A path begins where nothing was asked for.');
    return place;
  }
}

/**
 * The places that rows refer to by name. A key concatenated from type and id would be a new string each time, of which
 * V8 keeps a table.
 */
class NamedPlaces {
  readonly #asked: AskedPlaces;
  readonly #places = new Map<string, Map<string, Place>>();

  constructor(asked: AskedPlaces) {
    this.#asked = asked;
  }

  of(type: string, id: string): Place {
    const ofType = this.#ofType(type);
    const known = ofType.get(id);
    if (known) return known;
    const place = toPlace({ type, id });
    ofType.set(id, place);
    return place;
  }

  #ofType(type: string): Map<string, Place> {
    const known = this.#places.get(type);
    if (known) return known;
    const places = new Map<string, Place>();
    // A requested resource may also be above another requested one.
    for (const place of this.#asked.byType.get(type) ?? []) places.set(place.resource.id, place);
    this.#places.set(type, places);
    return places;
  }
}

/** A resource above others: those of one type directly below it, and a role held on it, if any. */
interface ParentRow {
  readonly type: string;
  readonly id: string;
  readonly role: string | null;
  readonly child_type: string;
  /** Requested ones by their place, others by their id. */
  readonly children: ListColumn<string | number>;
}

/** A role held on a requested resource, which is given by its place. */
interface OwnRow {
  readonly type: string;
  readonly id: null;
  readonly role: string;
  readonly place: IntegerColumn;
}

type GatheredRow = ParentRow | OwnRow;
