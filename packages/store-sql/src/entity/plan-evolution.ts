import type { ColumnType, DecimalSize, EntityColumn, EntityReference, EntityTable } from '@x/store';
import { uniqueKeys } from '@x/store/engine';

/** The table of an entity as recorded in the database. */
export interface RecordedTable {
  readonly columns: readonly RecordedColumn[];
  readonly indexes: readonly TableIndex[];
}

/** A recorded column, which may no longer be declared. */
interface RecordedColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** Of a decimal. */
  readonly decimal?: DecimalSize;
  readonly nullable: boolean;
  readonly references: EntityReference | null;
  /** Whether it is kept although it is no longer declared. */
  readonly isDropped: boolean;
}

/** An index of a declaration. */
interface TableIndex {
  readonly columns: readonly string[];
  readonly isUnique: boolean;
}

/** One change of a table. */
export type EvolutionStep =
  | { readonly type: 'createTable' }
  | { readonly type: 'renameColumn'; readonly from: string; readonly to: string }
  | { readonly type: 'addColumn'; readonly column: EntityColumn }
  /** A column that was declared before is declared again; rows written in between have null in it. */
  | { readonly type: 'restoreColumn'; readonly column: EntityColumn }
  | { readonly type: 'dropIndex' | 'createIndex'; readonly index: TableIndex };

/** The steps that bring a table to its declaration, or why that is impossible. */
export interface EvolutionPlan {
  readonly steps: readonly EvolutionStep[];
  /** One sentence each. If there are any, the steps must not be taken. */
  readonly problems: readonly string[];
  /** The table after the steps. */
  readonly next: RecordedTable;
}

/** Decides how a table follows its declaration; `recorded` is null if there is no table yet. */
export function planEvolution(recorded: RecordedTable | null, declared: EntityTable): EvolutionPlan {
  const renames = findRenames(recorded, declared);
  const known = new Map(
    recorded?.columns.map((column) => {
      const name = renames.get(column.name) ?? column.name;
      return [name, { ...column, name }] as const;
    }),
  );
  const indexes = toIndexes(declared);
  const gone = (recorded?.indexes ?? []).filter((index) => !indexes.some((each) => isSame(each, index)));
  const added = indexes.filter((index) => !recorded?.indexes.some((each) => isSame(each, index)));
  const columns = declared.columns.map((column) => planColumn(known.get(column.name), column, recorded === null));
  const names = new Set(declared.columns.map(({ name }) => name));
  const dropped = [...known.values()].filter(({ name }) => !names.has(name));
  return {
    steps: [
      ...(recorded === null ? [{ type: 'createTable' } as const] : []),
      ...gone.map((index) => ({ type: 'dropIndex', index }) as const),
      ...[...renames].map(([from, to]) => ({ type: 'renameColumn', from, to }) as const),
      ...columns.flatMap(({ steps }) => steps),
      ...added.map((index) => ({ type: 'createIndex', index }) as const),
    ],
    problems: columns.flatMap(({ problem }, index) =>
      problem === null ? [] : [`${declared.name}.${declared.columns[index]?.name}: ${problem}`],
    ),
    next: {
      columns: [...declared.columns.map(toRecorded), ...dropped.map((column) => ({ ...column, isDropped: true }))],
      indexes,
    },
  };
}

/** A rename has already happened if the new name is recorded, and has no effect if the old one is not. */
function findRenames(recorded: RecordedTable | null, { columns }: EntityTable): ReadonlyMap<string, string> {
  const known = new Set(recorded?.columns.map(({ name }) => name));
  const declared = new Set(columns.map(({ name }) => name));
  return new Map(
    columns.flatMap(({ name, renamedFrom }): [string, string][] => {
      const isWanted = renamedFrom !== undefined && known.has(renamedFrom) && !known.has(name);
      return isWanted && !declared.has(renamedFrom) ? [[renamedFrom, name]] : [];
    }),
  );
}

interface ColumnPlan {
  readonly steps: readonly EvolutionStep[];
  readonly problem: string | null;
}

function planColumn(known: RecordedColumn | undefined, column: EntityColumn, isNewTable: boolean): ColumnPlan {
  if (!known)
    return { steps: [{ type: 'addColumn', column }], problem: isNewTable ? null : findAdditionProblem(column) };
  const steps = known.isDropped ? [{ type: 'restoreColumn', column } as const] : [];
  return { steps, problem: findChangeProblem(known, column) };
}

/** There may be rows already, and the value of a reference can't be guessed. */
function findAdditionProblem({ nullable, default: value, references }: EntityColumn): string | null {
  if (references) return nullable && value === undefined ? null : 'a reference that is new starts as null';
  return nullable || value !== undefined ? null : 'a column that is new needs a default or may be null';
}

function findChangeProblem(known: RecordedColumn, column: EntityColumn): string | null {
  if (known.type !== column.type) return `is ${known.type} and can't become ${column.type}`;
  if (JSON.stringify(known.decimal) !== JSON.stringify(column.decimal)) return 'the size of its decimals cannot change';
  if (!isSameReference(known.references, column.references ?? null)) return 'its reference cannot change';
  if (known.nullable && !column.nullable && !known.isDropped) return 'rows may hold null in it';
  return null;
}

function isSameReference(a: EntityReference | null, b: EntityReference | null): boolean {
  return a?.entity === b?.entity && a?.onDelete === b?.onDelete;
}

function toRecorded({ name, type, decimal, nullable, references }: EntityColumn): RecordedColumn {
  return { name, type, ...(decimal && { decimal }), nullable, references: references ?? null, isDropped: false };
}

function toIndexes(table: EntityTable): readonly TableIndex[] {
  const { columns, indexes } = table;
  const unique = uniqueKeys(table).map((key) => ({ columns: key, isUnique: true }));
  const wanted = [...columns.filter(({ references }) => references).map(({ name }) => [name, 'id']), ...indexes];
  const others = wanted.map((names) => ({ columns: names, isUnique: false }));
  return [...unique, ...others.filter((index, at) => others.findIndex((each) => isSame(each, index)) === at)];
}

function isSame(a: TableIndex, b: TableIndex): boolean {
  return a.isUnique === b.isUnique && JSON.stringify(a.columns) === JSON.stringify(b.columns);
}
