import type { SqlExecutor } from '../sql-executor.ts';
import { quoteIdentifier } from '../where/compile-where.ts';
import { hasRow } from './check-rows.ts';
import type { TableMatch } from './match-tables.ts';
import { isReplaced } from './step-sql.ts';
import { type ColumnState, isSameIndex, type TableState } from './table-state.ts';

/** Says why an earlier declaration can't run on the table as it is now. */
export async function findEarlierProblems(
  executor: Pick<SqlExecutor, 'read'>,
  { entry, known, declared, version }: TableMatch,
): Promise<readonly string[]> {
  const current = known?.state.columns.filter(({ isDropped }) => !isDropped).map(({ column }) => column);
  const isBehind = version === 'current' && entry?.content.columns.some(({ column }) => !current?.includes(column));
  if (isBehind) return [`${declared.name}: its rows have not been converted yet; migrate() continues`];
  const problems: string[] = [];
  for (const column of known ? (entry?.content.columns ?? []) : []) {
    const problem = await findColumnProblem(executor, known?.state as TableState, column);
    if (problem !== null) problems.push(`${declared.name}.${column.name}: ${problem}`);
  }
  return problems;
}

async function findColumnProblem(
  executor: Pick<SqlExecutor, 'read'>,
  state: TableState,
  declared: ColumnState,
): Promise<string | null> {
  const { columns, table } = state;
  const { column, name, nullable } = declared;
  const now = columns.find((each) => each.column === column);
  if (!now) return `a newer declaration has ${isReplaced(state, declared) ? 'replaced' : 'dropped'} it`;
  const hasLostName = columns.some((each) => {
    const hasName = each.name === name || each.formerNames.includes(name);
    return now.isDropped && !each.isDropped && hasName && each.replaces?.column !== column;
  });
  if (hasLostName) return 'a newer declaration has another column of this name';
  const mayBeNull = !nullable && (now.nullable || now.isDropped);
  const isNull = mayBeNull && (await hasRow(executor, table, `${quoteIdentifier(column)} IS NULL`));
  return isNull ? 'a newer declaration has stored rows with null in it' : null;
}

/** Says what an earlier declaration has to know of the newer one it runs with. */
export function findNotices({ entry, known, declared }: TableMatch): readonly string[] {
  if (!entry || !known) return [];
  const missing = entry.content.indexes.filter(
    (index) => index.isUnique && !known.state.indexes.some((each) => isSameIndex(each, index)),
  );
  return [
    `${declared.name}: the database has a newer declaration; this version runs with it and changes nothing`,
    ...missing.map(({ columns }) => {
      const names = columns.map(
        (column) => entry.content.columns.find((each) => each.column === column)?.name ?? column,
      );
      return `${declared.name}.${names.join(', ')}: is not unique in the database`;
    }),
  ];
}
