import type { EntityTable } from '@x/store';
import { toTableName } from '../entity/names.ts';
import { type EntityHistory, type HeadedTable, type PastDeclaration, toDeclaredDigest } from './table-state.ts';

/** A declared entity, and the table in the database that its declaration is a version of. */
export interface TableMatch {
  readonly declared: EntityTable;
  /** The digest of the declaration. */
  readonly digest: string;
  /** The table that the entity has in the database; null if there is none yet. */
  readonly known: HeadedTable | null;
  /** The name of the table in the database. */
  readonly table: string;
  /** Whether the table follows the declaration (`current`), followed it before (`earlier`), or never did (`next`). */
  readonly version: 'current' | 'earlier' | 'next';
  /** The entry of the history; null for the next version. */
  readonly entry: PastDeclaration | null;
  readonly problem: string | null;
}

/** Finds the table of each declared entity: by its name, by its former name, or by its declaration. */
export function matchTables(
  entities: readonly EntityTable[],
  { tables, past }: EntityHistory,
  revert = false,
): readonly TableMatch[] {
  const byName = new Map(tables.map((each) => [each.state.name, each]));
  const names = new Set(entities.map(({ name }) => name));
  const claimed = new Map<EntityTable, HeadedTable>();
  for (const entity of entities) {
    const { name, renamedFrom } = entity;
    const former = renamedFrom === undefined || names.has(renamedFrom) ? undefined : byName.get(renamedFrom);
    const found = byName.get(name) ?? former;
    if (found) claimed.set(entity, found);
  }
  const taken = new Set([...tables.map(({ state }) => state.table), ...entities.map(({ name }) => toTableName(name))]);
  return entities.map((declared): TableMatch => {
    const digest = toDeclaredDigest(declared);
    const others = new Set([...claimed.values()].map(({ state }) => state.table));
    const own = claimed.get(declared);
    const entry = past.findLast(
      ({ declared: each, content }) =>
        each === digest && (own ? content.table === own.state.table : !others.has(content.table)),
    );
    const known = own ?? tables.find(({ state }) => state.table === entry?.content.table) ?? null;
    const isCurrent = entry !== undefined && entry.digest === known?.head;
    const version = isCurrent ? 'current' : entry && known && !revert ? 'earlier' : 'next';
    return {
      declared,
      digest,
      known,
      table: known?.state.table ?? toNewTable(declared.name, tables, taken),
      version,
      entry: version === 'next' ? null : (entry ?? null),
      problem: known ? null : findRenamed(declared.name, tables, names),
    };
  });
}

/** A name that was free before another entity was renamed away from it may still be the name of that one's table. */
function toNewTable(name: string, tables: readonly HeadedTable[], taken: ReadonlySet<string>): string {
  const wanted = toTableName(name);
  if (!tables.some(({ state }) => state.table === wanted)) return wanted;
  for (let number = 2; ; number += 1) if (!taken.has(`${wanted}_${number}`)) return `${wanted}_${number}`;
}

/** Who declares only the former name of an entity does not know the newer one. */
function findRenamed(name: string, tables: readonly HeadedTable[], names: ReadonlySet<string>): string | null {
  const renamed = tables.find(({ state }) => state.formerNames.includes(name) && !names.has(state.name));
  if (!renamed) return null;
  const newer = renamed.state.name;
  return `${name}: a newer declaration has renamed it to ${newer}; declare ${newer}, with renamedFrom: '${name}'`;
}
