import type Database from 'better-sqlite3';

/**
 * Says whether a statement visits no more rows than it returns, by its plan: a single walk along an index that contains
 * all of its comparisons, and whose order is the wanted one.
 *
 * @param comparisons - how many parameters the comparisons have that its condition consists of
 * @param parameters - how many it has in all
 */
export function visitsOnlyItsResult(
  database: Database.Database,
  text: string,
  { comparisons, parameters }: { readonly comparisons: number; readonly parameters: number },
): boolean {
  const values = Array.from({ length: parameters }, () => null);
  const steps = database.prepare<null[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all(...values);
  const [step] = steps;
  if (steps.length !== 1 || step === undefined) return false;
  const isWalk = step.detail.startsWith('SEARCH ') || step.detail.startsWith('SCAN ');
  // A skip scan, `ANY(…)`, jumps along the index once for each value of a column.
  return isWalk && !step.detail.includes('ANY(') && countParameters(step.detail) === comparisons;
}

/** A step names the comparisons for which it uses the index: `SEARCH t USING INDEX i (a=? AND (b,c)>(?,?))`. */
function countParameters(detail: string): number {
  return detail.split('?').length - 1;
}
