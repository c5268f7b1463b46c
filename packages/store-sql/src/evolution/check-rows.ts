import type { SqlExecutor } from '../sql-executor.ts';
import { quoteIdentifier } from '../where/compile-where.ts';
import type { RowStep } from './evolution-plan.ts';
import { nameIndex, type StepPlace, toUnfit } from './step-sql.ts';
import type { IndexState, TableState } from './table-state.ts';

type Reader = Pick<SqlExecutor, 'read'>;

/** How many values a message lists. */
const maxListed = 5;

/** Says whether a table has a row that satisfies a condition. */
export async function hasRow(executor: Reader, table: string, condition: string): Promise<boolean> {
  const [found] = await executor.read(
    `SELECT 1 AS found FROM ${quoteIdentifier(table)} WHERE ${condition} LIMIT 1`,
    [],
  );
  return found !== undefined;
}

/** Counts the rows of a table that satisfy a condition. */
export async function countRows(executor: Reader, table: string, condition: string): Promise<number> {
  const [row] = await executor.read(`SELECT COUNT(*) AS count FROM ${quoteIdentifier(table)} WHERE ${condition}`, []);
  return Number(row?.['count']);
}

/** Says why a step can't change the rows that it has to; null if it can, or if there are none. */
export async function findRowProblem(executor: Reader, place: StepPlace, step: RowStep): Promise<string | null> {
  const { target } = place;
  const name = `${target.name}.${step.to.name}`;
  if (step.type === 'fillColumn') {
    if (step.value !== null) return null;
    const isUnknown = step.source ? ` AND ${quoteIdentifier(step.source.column)} IS NULL` : '';
    const count = await countRows(executor, target.table, `${toUnfit(place, step)}${isUnknown}`);
    return count === 0 ? null : `${name}: ${count} rows have null in it; give it a backfill`;
  }
  const column = quoteIdentifier(step.to.column);
  const groups = `SELECT ${column} AS value, COUNT(*) AS count FROM ${quoteIdentifier(target.table)} WHERE ${toUnfit(place, step)} GROUP BY ${column}`;
  const left = (await executor.read(groups, [])).filter(({ value }) => !Object.hasOwn(step.replaced, String(value)));
  if (left.length === 0) return null;
  const listed = left.slice(0, maxListed).map(({ value, count }) => `${JSON.stringify(value)} (${String(count)} rows)`);
  return `${name}: rows have values that are no longer declared: ${listed.join(', ')}; name others in replacedValues`;
}

/** Says which values stand in the way of a unique index; null if none do. */
export async function findDuplicates(executor: Reader, target: TableState, index: IndexState): Promise<string | null> {
  const columns = index.columns.map(quoteIdentifier);
  const isContained = index.where === null ? [] : [`(${index.where})`];
  const isGiven = [...columns.map((column) => `${column} IS NOT NULL`), ...isContained].join(' AND ');
  const groups = `
    SELECT ${columns.join(', ')}, COUNT(*) AS rows_ FROM ${quoteIdentifier(target.table)}
    WHERE ${isGiven} GROUP BY ${columns.join(', ')} HAVING COUNT(*) > 1`;
  const [total] = await executor.read(`SELECT COUNT(*) AS count FROM (${groups}) AS twice`, []);
  const count = Number(total?.['count']);
  if (count === 0) return null;
  const first = await executor.read(`${groups} ORDER BY rows_ DESC, ${columns.join(', ')} LIMIT ${maxListed}`, []);
  const listed = first.map((row) => {
    const values = index.columns.map((column) => JSON.stringify(row[column]));
    return `${values.join(' with ')} (${String(row['rows_'])} rows)`;
  });
  const more = count > first.length ? ', …' : '';
  return `${nameIndex(target, index)}: can't be unique, ${count} values are in several rows: ${listed.join(', ')}${more}`;
}
