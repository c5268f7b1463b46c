import { parseIndexPart } from '@x/store';
import { uniqueKeys } from '@x/store/engine';
import { toReferring } from '../entity/existing-table.ts';
import { compileIndexCondition } from '../entity/index-condition.ts';
import { quoteIdentifier, type SqlColumn } from '../where/compile-where.ts';
import type { EvolutionInput, EvolutionStep } from './evolution-plan.ts';
import { type ColumnState, type IndexState, isSameIndex } from './table-state.ts';

/** Plans the steps between the indexes that a table has and those that are wanted. */
export function planIndexes(
  { state, others }: EvolutionInput,
  wanted: readonly IndexState[],
  targets: readonly ColumnState[],
): readonly EvolutionStep[] {
  const before = state?.indexes ?? [];
  const declared = new Set(['id', ...targets.map(({ column }) => column)]);
  const gone = before.filter((index) => !wanted.some((each) => isSameIndex(each, index)));
  const added = wanted.filter((index) => !before.some((each) => isSameIndex(each, index)));
  return [
    // Until it is dropped, an index refuses values that no longer have to be unique; any other index can stay.
    ...gone.map((index) => {
      const isLoosened = index.isUnique && index.columns.every((each) => declared.has(each));
      return { type: 'dropIndex', kind: isLoosened ? 'expand' : 'contract', index } as const;
    }),
    ...added.map((index) => {
      const isTightened = index.isUnique && index.columns.every((each) => others.has(each));
      return { type: 'createIndex', kind: isTightened ? 'contract' : 'expand', index } as const;
    }),
  ];
}

/** Returns the indexes that a declaration wants: its own, and one for each reference. */
export function toIndexes(
  { declared, dialect }: EvolutionInput,
  targets: readonly ColumnState[],
): readonly IndexState[] {
  const { columns, indexes, partialIndexes = [] } = declared;
  const columnOf = new Map([['id', 'id'], ...targets.map(({ name, column }) => [name, column] as const)]);
  const toState = (names: readonly string[], isUnique: boolean, where: string | null = null): IndexState => {
    const parts = names.map((name) => {
      const { column, isDescending } = parseIndexPart(name);
      return { column: columnOf.get(column) ?? column, isDescending };
    });
    return {
      columns: parts.map(({ column }) => column),
      descending: parts.flatMap(({ column, isDescending }) => (isDescending ? [column] : [])),
      isUnique,
      where,
    };
  };
  const sqlColumns = new Map<string, SqlColumn>([
    ['id', { sql: '"id"', type: 'text' }],
    ...targets.map(({ name, column, type, decimal, references }): [string, SqlColumn] => [
      name,
      { ...toReferring(dialect, references?.key?.type, quoteIdentifier(column)), type, ...(decimal && { decimal }) },
    ]),
  ]);
  const unique = uniqueKeys(declared).map((names) => toState(names, true));
  const wanted = [...columns.filter(({ references }) => references).map(({ name }) => [name, 'id']), ...indexes];
  const others = [
    ...wanted.map((names) => toState(names, false)),
    ...partialIndexes.map(({ columns: names, where, unique: isUnique = false }) =>
      toState(names, isUnique, compileIndexCondition(where, sqlColumns, dialect)),
    ),
  ];
  return [...unique, ...others.filter((index, at) => others.findIndex((each) => isSameIndex(each, index)) === at)];
}
