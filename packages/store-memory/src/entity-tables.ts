import { compareCodePoints, type EntityRecord, type EntityTable, type EntityValue } from '@x/store';
import { Table } from './table.ts';

/** The rows of one entity, indexed by id, by each unique column and by each reference, and ordered by id. */
export type EntityRows = Table<EntityRecord, string, string>;

/** A column of an entity that refers to rows of this one. */
export interface Referent {
  readonly entity: string;
  readonly column: string;
  readonly onDelete: 'restrict' | 'cascade';
}

/** The index that visits all rows by id, in a single group. No column has this name. */
export const byId = '';

/** The entities of a database, or of one transaction on it. A transaction creates its tables on demand. */
export class EntityTables {
  readonly #declared: ReadonlyMap<string, EntityTable>;
  readonly #below: EntityTables | undefined;
  readonly #rows = new Map<string, EntityRows>();

  constructor(declared: ReadonlyMap<string, EntityTable>, below?: EntityTables) {
    this.#declared = declared;
    this.#below = below;
  }

  /**
   * @throws TypeError if no such entity is declared
   *
   * @throws TypeError where no such entity is declared
   */
  declarationOf(entity: string): EntityTable {
    const declared = this.#declared.get(entity);
    if (!declared) throw new TypeError(`There is no entity ${entity}: the stores were opened without its table.`);
    return declared;
  }

  rowsOf(entity: string): EntityRows {
    const known = this.#rows.get(entity);
    if (known) return known;
    const rows = this.#below ? this.#below.rowsOf(entity).overlay() : createRows(this.declarationOf(entity));
    this.#rows.set(entity, rows);
    return rows;
  }

  /** Lists the columns that refer to rows of an entity. */
  referentsOf(entity: string): readonly Referent[] {
    return [...this.#declared.values()].flatMap(({ name, columns }) =>
      columns.flatMap(({ name: column, references }) =>
        references?.entity === entity ? [{ entity: name, column, onDelete: references.onDelete }] : [],
      ),
    );
  }

  overlay(): EntityTables {
    return new EntityTables(this.#declared, this);
  }

  commit(): void {
    for (const rows of this.#rows.values()) rows.commit();
  }
}

function createRows({ columns }: EntityTable): EntityRows {
  const unique = columns.filter((column) => column.unique).map(({ name }) => name);
  const references = columns.filter((column) => column.references).map(({ name }) => name);
  return new Table<EntityRecord, string, string>({
    keyOf: ({ row }) => row.id,
    unique: Object.fromEntries(unique.map((name) => [name, ({ row }: EntityRecord) => toIndexValue(row[name])])),
    ordered: Object.fromEntries(
      [byId, ...references].map((name) => [
        name,
        {
          groupOf: ({ row }: EntityRecord) => (name === byId ? byId : toIndexValue(row[name])),
          compare: (a: EntityRecord, b: EntityRecord) => compareCodePoints(a.row.id, b.row.id),
        },
      ]),
    ),
  });
}

/**
 * Converts a value to an index key that is unique within its column; null for null, of which there may be any number.
 */
export function toIndexValue(value: EntityValue | undefined): string | null {
  if (value === null || value === undefined) return null;
  return value instanceof Date ? String(value.getTime()) : String(value as string | number | boolean);
}
