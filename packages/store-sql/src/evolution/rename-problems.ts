import type { EntityTable } from '@x/store';
import type { TableMatch } from './match-tables.ts';
import type { ColumnState, TableState } from './table-state.ts';

// A rename is known by the old name alone. Where that could mean something else as well, values would be lost, or be
// served under the wrong name; so it is refused.

/** A declared thing with a name, and the one that it had in an earlier declaration. */
interface Renamed {
  readonly name: string;
  readonly renamedFrom?: string;
}

/** A thing that the database knows under a name. */
interface Known {
  readonly formerNames: readonly string[];
}

/** Finds renames of columns that a table can't follow. */
export function findRenameProblems(state: TableState | null, declared: EntityTable): readonly string[] {
  const { name: entity, columns } = declared;
  const all = state?.columns ?? [];
  const live = new Map(all.filter(({ isDropped }) => !isDropped).map((column) => [column.name, column]));
  const hasReturned = ({ name, renamedFrom }: Renamed): boolean =>
    all.some((each) => each.isDropped && each.name === name && each.formerNames.includes(renamedFrom ?? ''));
  return findUnclear(columns, live, (column) => !hasReturned(column)).map((problem) => `${entity}.${problem}`);
}

/** Finds renames of entities that the tables of a database can't follow. */
export function findEntityRenameProblems(
  entities: readonly EntityTable[],
  tables: readonly TableState[],
): readonly string[] {
  return findUnclear(entities, new Map(tables.map((table) => [table.name, table])), () => true);
}

function findUnclear(
  declared: readonly Renamed[],
  known: ReadonlyMap<string, Known>,
  isNew: (renamed: Renamed) => boolean,
): readonly string[] {
  const names = new Map(declared.map((each) => [each.name, each]));
  return declared.flatMap((renamed): readonly string[] => {
    const { name, renamedFrom } = renamed;
    if (renamedFrom === undefined || renamedFrom === name) return [];
    if (isInCircle(renamed, names)) {
      return [`${name}: takes the name of another one that takes its name, or that of a third; ${useFresh}`];
    }
    if (!known.has(renamedFrom)) return [];
    const taken = known.get(name);
    if (taken) {
      const isDone = taken.formerNames.includes(renamedFrom) || names.has(renamedFrom);
      return isDone ? [] : [`${name}: is renamed from ${renamedFrom}, but there is another ${name}; ${useFresh}`];
    }
    if (!names.has(renamedFrom) || !isNew(renamed)) return [];
    return [
      `${name}: is renamed from ${renamedFrom}, which is declared, too; first run a release without ${renamedFrom}`,
    ];
  });
}

const useFresh = 'choose a name that nothing has, or first run a release that frees the name';

/** Says whether the old names lead back, as where two swap theirs. */
function isInCircle({ name, renamedFrom }: Renamed, names: ReadonlyMap<string, Renamed>): boolean {
  let from = renamedFrom;
  for (let steps = 0; from !== undefined && steps < names.size; steps += 1) {
    if (from === name) return true;
    from = names.get(from)?.renamedFrom;
  }
  return false;
}

/**
 * Finds renames by which a declaration looks like an earlier one, whose names meant other columns. Without them, it
 * could be that version, which runs beside the newest.
 */
export function findReturningNames({ version, entry, known, declared }: TableMatch): readonly string[] {
  if (version !== 'earlier' || !entry || !known) return [];
  const find = (columns: readonly ColumnState[], name: string | undefined): ColumnState | undefined =>
    columns.find((each) => each.name === name && !each.isDropped);
  return declared.columns.flatMap(({ name, renamedFrom }) => {
    const now = find(known.state.columns, renamedFrom);
    const before = find(entry.content.columns, name);
    if (!now || !before || now.column === before.column) return [];
    if (before.formerNames.includes(renamedFrom ?? '')) return [];
    return [
      `${declared.name}.${name}: is renamed from ${renamedFrom}, but an earlier version had this declaration, and another ${name}; choose a name that nothing had, or start with revert when no earlier version runs`,
    ];
  });
}
