import type { EntityReference } from '@x/store';
import type { SqlTable, SqlTableColumn } from './sql-table.ts';

/** Some rows of a table. */
export interface Rows {
  readonly table: SqlTable;
  readonly ids: readonly string[];
}

/** A column that refers to a table, and whose rows are changed when one of that table is deleted. */
export interface Reference {
  readonly table: SqlTable;
  /** As declared. */
  readonly name: string;
  readonly column: SqlTableColumn;
  readonly onDelete: EntityReference['onDelete'];
}

/** Lists the columns whose rows change when a row of a table is deleted. */
export function referencesTo(tables: ReadonlyMap<string, SqlTable>, { entity }: SqlTable): readonly Reference[] {
  return [...tables.values()].flatMap((table) =>
    table.entity.columns.flatMap(({ name, references }) => {
      const column = table.columns.get(name);
      const follows = references?.entity === entity.name && references.onDelete !== 'restrict';
      return column && follows ? [{ table, name, column, onDelete: references.onDelete }] : [];
    }),
  );
}

/** Builds a key of a row that no row of another table has. */
export function toKey({ entity }: SqlTable, id: string): string {
  return `${entity.name}:${id}`;
}
