import type { EntityColumn, EntityRecord, EntityRow, EntityValues } from '@x/store';
import { uniqueKeys } from '@x/store/engine';
import { sampleEntities } from './sample-entities.ts';

/** The outcome of a step: the row or how many, that no row met its condition, or that it contradicts another one. */
export type EntityOutcome = EntityRecord | number | null | 'CONFLICT';

interface StoredRow extends EntityRecord {
  readonly entity: string;
}

/** The contract of the entity store read naively: one list of rows, looked through from end to end. */
export class NaiveEntities {
  #rows: readonly StoredRow[];

  constructor(rows: readonly StoredRow[] = []) {
    this.#rows = rows;
  }

  /** Copies what is stored, for a transaction that may be rolled back. */
  copy(): NaiveEntities {
    return new NaiveEntities(this.#rows);
  }

  list(entity: string): readonly EntityRecord[] {
    return this.#rows
      .filter((each) => each.entity === entity)
      .map(({ row, version }) => ({ row, version }))
      .toSorted((a, b) => (a.row.id < b.row.id ? -1 : 1));
  }

  create(entity: string, row: EntityRow): EntityOutcome {
    if (this.#find(entity, row.id)) return 'CONFLICT';
    return this.#put([...this.#rows, { entity, row, version: 1 }], entity, row.id);
  }

  update(entity: string, id: string, values: EntityValues, version: number | undefined): EntityOutcome {
    const found = this.#find(entity, id);
    if (!found || (version !== undefined && found.version !== version)) return null;
    const changed = { entity, row: { ...found.row, ...values }, version: found.version + 1 };
    return this.#put(
      this.#rows.map((each) => (each === found ? changed : each)),
      entity,
      id,
    );
  }

  delete(entity: string, id: string): EntityOutcome {
    const found = this.#find(entity, id);
    if (!found) return null;
    return this.#remove([found]) ? { row: found.row, version: found.version } : 'CONFLICT';
  }

  deleteAll(entity: string, isDeleted: (row: EntityRow) => boolean): EntityOutcome {
    const found = this.#rows.filter((each) => each.entity === entity && isDeleted(each.row));
    return this.#remove(found) ? found.length : 'CONFLICT';
  }

  #remove(rows: readonly StoredRow[]): boolean {
    let [left, before]: (readonly StoredRow[])[] = [this.#rows.filter((each) => !rows.includes(each)), []];
    // Once more for each row that went with another one, until none does.
    while (left?.length !== before?.length) {
      before = left;
      left = left?.filter(
        (each) => !columnsOf(each).some((column) => isCascade(column) && isDangling(column, each, before)),
      );
    }
    return this.#accept((left ?? []).map((each) => withoutLostReferences(each, left)));
  }

  #find(entity: string, id: string): StoredRow | undefined {
    return this.#rows.find((each) => each.entity === entity && each.row.id === id);
  }

  #put(rows: readonly StoredRow[], entity: string, id: string): EntityOutcome {
    if (!this.#accept(rows)) return 'CONFLICT';
    const { row, version } = this.#find(entity, id) ?? { row: { id }, version: 0 };
    return { row, version };
  }

  /** Takes rows of which none contradicts another. */
  #accept(rows: readonly StoredRow[]): boolean {
    const isFine = rows.every(
      (each) => columnsOf(each).every((column) => !isDangling(column, each, rows)) && !isTaken(each, rows),
    );
    if (isFine) this.#rows = rows;
    return isFine;
  }
}

function columnsOf({ entity }: StoredRow): readonly EntityColumn[] {
  return sampleEntities.find(({ name }) => name === entity)?.columns ?? [];
}

function isCascade({ references }: EntityColumn): boolean {
  return references?.onDelete === 'cascade';
}

function withoutLostReferences(stored: StoredRow, rows: readonly StoredRow[] | undefined): StoredRow {
  const lost = columnsOf(stored).filter(
    (column) => column.references?.onDelete === 'setNull' && isDangling(column, stored, rows),
  );
  const nulls = Object.fromEntries(lost.map(({ name }) => [name, null]));
  return { ...stored, row: { ...stored.row, ...nulls }, version: stored.version + lost.length };
}

function isDangling({ name, references }: EntityColumn, { row }: StoredRow, rows: readonly StoredRow[] = []): boolean {
  const value = row[name];
  if (!references || value === null) return false;
  return !rows.some((each) => each.entity === references.entity && each.row.id === value);
}

function isTaken(own: StoredRow, rows: readonly StoredRow[]): boolean {
  const table = sampleEntities.find(({ name }) => name === own.entity);
  const others = rows.filter((each) => each !== own && each.entity === own.entity);
  return (table ? uniqueKeys(table) : []).some((key) =>
    others.some(({ row }) => key.every((name) => own.row[name] !== null && row[name] === own.row[name])),
  );
}
