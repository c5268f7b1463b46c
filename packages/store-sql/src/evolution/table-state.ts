import { hash } from 'node:crypto';
import type { ColumnType, DecimalSize, EntityKey, EntityReference, EntityTable } from '@x/store';
import type { MigrationExecutor } from '../sql-driver.ts';
import type { SqlExecutor } from '../sql-executor.ts';

/**
 * The table of an entity in the database. Names of an entity and its columns may change; those of the table and its
 * columns never do, so that processes of earlier declarations find them.
 */
export interface TableState {
  /** The name of the entity. */
  readonly name: string;
  readonly table: string;
  readonly formerNames: readonly string[];
  readonly columns: readonly ColumnState[];
  readonly indexes: readonly IndexState[];
}

/** A column of a table. */
export interface ColumnState {
  /** The name in the declaration. */
  readonly name: string;
  readonly column: string;
  readonly formerNames: readonly string[];
  readonly type: ColumnType;
  /** Of a decimal. */
  readonly decimal: DecimalSize | null;
  readonly nullable: boolean;
  readonly references: ReferenceState | null;
  /** The only values of a text; null if it may be any. */
  readonly values: readonly string[] | null;
  /** What rows get that are inserted by a version that does not know the column, unless that is a moment or JSON. */
  readonly initial: string | number | boolean | null;
  /** The column whose values this one gets, or whose values follow this one. */
  readonly replaces: ReplacedState | null;
  /** Whether it is kept although it is no longer declared. */
  readonly isDropped: boolean;
}

/** The reference of a column, by the name of the table. */
export interface ReferenceState {
  readonly table: string;
  /** The column of its ids, if the table is in the database without us: `table` is its name as declared then. */
  readonly key?: { readonly type: EntityKey['type']; readonly column: string };
  readonly onDelete: EntityReference['onDelete'];
}

/** A column of the same table that another one replaces. */
interface ReplacedState {
  readonly column: string;
  /** Whether both follow each other, so that either version can run; else the new one only forgets what is outdated. */
  readonly isSynced: boolean;
  /** Which values of the other one it goes on taking, if it takes its values from that and does not replace it. */
  readonly copies?: 'none' | 'inserts' | 'all';
  /** Whether it has not taken them all yet. */
  readonly isPending?: boolean;
}

/** An index, by the columns of the table. */
export interface IndexState {
  readonly columns: readonly string[];
  /** Those of its columns that are sorted down. */
  readonly descending: readonly string[];
  readonly isUnique: boolean;
  /** The condition on its rows, as SQL; null if it has all. */
  readonly where: string | null;
}

/** Says whether two indexes are the same. */
export function isSameIndex(a: IndexState, b: IndexState): boolean {
  const toKey = ({ columns, descending, isUnique, where }: IndexState): string =>
    JSON.stringify([columns, descending, isUnique, where]);
  return toKey(a) === toKey(b);
}

/** A table, and the digest of the declaration that it follows. */
export interface HeadedTable {
  readonly state: TableState;
  readonly head: string;
}

/** A declaration that a table has followed. */
export interface PastDeclaration {
  /** The SHA-256 of the digest before and of the declaration: a chain. */
  readonly digest: string;
  readonly parent: string | null;
  /** The digest of the declaration alone. */
  readonly declared: string;
  /** The table as declared then. */
  readonly content: TableState;
}

/** Everything that the database knows of the tables of entities. */
export interface EntityHistory {
  readonly tables: readonly HeadedTable[];
  /** From the oldest to the newest. */
  readonly past: readonly PastDeclaration[];
}

const selectTables = 'SELECT head, state FROM auth_entity_tables';

const selectPast = `
  SELECT digest, parent, declared, content FROM auth_entity_declarations ORDER BY declared_at`;

/** Reads what the database knows. */
export async function readHistory(executor: Pick<SqlExecutor, 'read'>): Promise<EntityHistory> {
  const tables = (await executor.read(selectTables, [])).map((row) => ({
    state: JSON.parse(String(row['state'])) as TableState,
    head: String(row['head']),
  }));
  const past = (await executor.read(selectPast, [])).map((row) => ({
    digest: String(row['digest']),
    parent: row['parent'] as string | null,
    declared: String(row['declared']),
    content: JSON.parse(String(row['content'])) as TableState,
  }));
  return { tables, past };
}

const saveTable = `
  INSERT INTO auth_entity_tables (name, head, state) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET head = excluded.head, state = excluded.state`;

/** Stores the state of a table, instead of the one that it had under another name. */
export async function saveState(
  executor: MigrationExecutor,
  { state, head }: HeadedTable,
  before?: TableState,
): Promise<void> {
  if (before && before.name !== state.name) {
    await executor.execute('DELETE FROM auth_entity_tables WHERE name = $1', [before.name]);
  }
  await executor.execute(saveTable, [state.name, head, JSON.stringify(state)]);
}

const selectState = 'SELECT head, state FROM auth_entity_tables WHERE name = $1';

/** Changes the state of a table after a step of its own transaction. */
export async function changeState(
  executor: MigrationExecutor,
  name: string,
  change: (state: TableState) => TableState | Promise<TableState>,
): Promise<void> {
  const [row] = await executor.read(selectState, [name]);
  if (!row) return;
  const state = await change(JSON.parse(String(row['state'])) as TableState);
  await saveState(executor, { state, head: String(row['head']) });
}

const insertDeclaration = `
  INSERT INTO auth_entity_declarations (digest, parent, declared, content, declared_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (digest) DO NOTHING`;

/** Appends a declaration to the history of its table, and returns its digest. */
export async function appendDeclaration(
  executor: MigrationExecutor,
  { parent, declared, content }: Omit<PastDeclaration, 'digest'>,
  now: Date,
): Promise<string> {
  const digest = hash('sha256', JSON.stringify([parent, declared]));
  await executor.execute(insertDeclaration, [digest, parent, declared, JSON.stringify(content), now.getTime()]);
  return digest;
}

/** The parts of a declaration that say how to follow it, and nothing about the table. */
const ways: ReadonlySet<string> = new Set(['renamedFrom', 'replacedValues', 'convert', 'backfillFrom']);

/** Returns the SHA-256 of a declaration, which does not depend on the order of its parts. */
export function toDeclaredDigest(declared: EntityTable): string {
  const byName = declared.columns.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return hash('sha256', toCanonicalJson({ unique: [], ...declared, columns: byName }));
}

function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (ways.has(key)) return undefined;
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
