import { describeTable } from '../entity/describe-table.ts';
import { toExistingName } from '../entity/existing-table.ts';
import type { DescribedColumn, SqlDialect } from '../sql-dialect.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import type { TableMatch } from './match-tables.ts';
import { nameIndex, nameOfIndex, toSqlType } from './step-sql.ts';
import type { ColumnState, IndexState, TableState } from './table-state.ts';

/**
 * A match whose state is that of the database, and the changes that were made there by other means than `migrate()`.
 */
export interface ComparedTable {
  readonly match: TableMatch;
  /** Indexes that are missing, and therefore not in the state. */
  readonly lost: readonly IndexState[];
  /** The columns that new rows may leave out, because they have a default in the database. */
  readonly withDefault: ReadonlySet<string>;
  /** Why the table can't be used, one sentence each. */
  readonly problems: readonly string[];
  readonly notices: readonly string[];
}

/** Compares the table of a match with the catalog of the database. Indexes that were dropped are built again. */
export async function compareWithCatalog(
  executor: Pick<SqlExecutor, 'read'>,
  dialect: SqlDialect,
  match: TableMatch,
): Promise<ComparedTable> {
  const { known, table, declared } = match;
  const described = await describeTable(executor, dialect.catalog, toExistingName(table));
  const found = described?.columns ?? new Map<string, DescribedColumn>();
  const withDefault = new Set([...found].flatMap(([name, { hasDefault }]) => (hasDefault ? [name] : [])));
  if (known === null) {
    const problem = `${declared.name}: there is a table ${table} that no declaration has made; rename it, or declare it with managed: false`;
    return { match, lost: [], withDefault, problems: described ? [problem] : [], notices: [] };
  }
  if (!described) {
    const problem = `${declared.name}: its table ${table} was dropped; restore it, or delete ${known.state.name} from auth_entity_tables`;
    return { match, lost: [], withDefault, problems: [problem], notices: [] };
  }
  const { state } = known;
  const columns = state.columns.filter(({ isDropped, column }) => !isDropped || found.has(column));
  const indexes = state.indexes.filter((index) => described.indexes.has(nameOfIndex(table, index)));
  const lost = state.indexes.filter((index) => !indexes.includes(index));
  return {
    match: { ...match, known: { ...known, state: { ...state, columns, indexes } } },
    lost,
    withDefault,
    problems: [
      ...columns.flatMap((column) => findColumnProblem(dialect, state, column, found)),
      ...findForeignColumns(state, found).flatMap(([name, isFilled]) =>
        isFilled
          ? []
          : [`${state.name}: the column ${table}.${name} was added, which new rows can't fill; let it be null`],
      ),
    ],
    notices: [
      ...lost.map((index) => toLostNotice(state, index)),
      ...findForeignColumns(state, found).map(
        ([name]) => `${state.name}: the column ${table}.${name} is not declared; it is left alone`,
      ),
    ],
  };
}

function findColumnProblem(
  dialect: SqlDialect,
  { name: entity, table }: TableState,
  state: ColumnState,
  columns: ReadonlyMap<string, DescribedColumn>,
): readonly string[] {
  const { name, column, nullable, isDropped } = state;
  const found = columns.get(column);
  const wanted = toSqlType(dialect, state)
    .replace(/ COLLATE.*/, '')
    .toLowerCase();
  const place = `${entity}.${name}: its column ${table}.${column} was`;
  if (!found) return [`${place} dropped or renamed`];
  if (found.type !== wanted) return [`${place} changed from ${wanted} to ${found.type}`];
  const isTooStrict = found.isRequired && !found.hasDefault && (nullable || isDropped);
  return isTooStrict ? [`${place} made NOT NULL, which it must not be`] : [];
}

/** Lists the columns that no declaration has made, and whether rows may leave them out. */
function findForeignColumns(
  { columns: known }: TableState,
  columns: ReadonlyMap<string, DescribedColumn>,
): readonly (readonly [string, boolean])[] {
  const own = new Set(['id', '_version', ...known.map(({ column }) => column)]);
  return [...columns].flatMap(([name, { isRequired, hasDefault }]) =>
    own.has(name) ? [] : [[name, !isRequired || hasDefault] as const],
  );
}

function toLostNotice(state: TableState, index: IndexState): string {
  return `${nameIndex(state, index)}: its ${index.isUnique ? 'unique ' : ''}index was dropped; it is built again`;
}
