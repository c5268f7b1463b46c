import {
  type EntityColumn,
  type EntityTable,
  type EntityValue,
  MigrationError,
  type OwnMigration,
  type Stores,
} from '@x/store';
import { all } from '@x/store/where';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EvolvingDatabase } from './evolving-database.ts';
import { sampleId } from './sample-entities.ts';

/** Compares chains of declarations, each with the one before beside it, with a model of what becomes of every value. */
export function describeEntityChains(createDatabase: () => Promise<EvolvingDatabase>, rounds: number): void {
  it('lose no value that a declaration can hold, along any chain of them', { timeout: 600_000 }, async () => {
    const change = fc.record({
      type: fc.constantFrom('add', 'drop', 'rename', 'loosen', 'index', 'widen', 'convert', 'copy', 'move', 'own'),
      at: fc.nat(7),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      column: fc.constantFrom('text', 'integer'),
      isRequired: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes: readonly Change[]) => {
        const database = await createDatabase();
        try {
          for (const [found, expected] of await followChain(database, changes)) expect(found).toEqual(expected);
        } finally {
          await database.drop();
        }
      }),
      { numRuns: 6 * rounds },
    );
  });
}

interface Change {
  readonly type: string;
  readonly at: number;
  readonly name: string;
  readonly column: string;
  readonly isRequired: boolean;
}

/** A column that keeps its values under all of its names, and while it is not declared. */
interface TrackedColumn {
  readonly key: symbol;
  readonly declared: EntityColumn;
  /** Whether it was an integer before, whose column follows it. */
  readonly isWidened: boolean;
  /** The value in rows of versions that do not know the column. */
  readonly unknown: EntityValue;
  readonly values: Map<string, EntityValue>;
  /** The column that it has taken its values from; null if it has none of another one. */
  readonly source: symbol | null;
}

/** The app as the model knows it. */
interface App {
  live: readonly TrackedColumn[];
  dropped: readonly TrackedColumn[];
  index: string | null;
  /** Its own steps, each of which keeps how many rows there are. */
  steps: readonly OwnMigration[];
}

/** A declaration, and the tracked columns that it declares. */
interface Version {
  readonly table: EntityTable;
  readonly columns: readonly TrackedColumn[];
}

/** Returns every row at every version as it was found, and as it should be. */
async function followChain(
  database: EvolvingDatabase,
  changes: readonly Change[],
): Promise<readonly (readonly [unknown, unknown])[]> {
  const rows: [unknown, unknown][] = [];
  const app: App = { live: [], dropped: [], index: null, steps: [] };
  const counts: number[] = [];
  let before: Version = { table: toTable(app), columns: [] };
  await start(database, before.table);
  const ids: string[] = [];
  for (const change of changes) {
    applyChange(app, change, ids);
    if (change.type === 'own') {
      app.steps = [...app.steps, toStep(app.steps.length)];
      counts.push(ids.length);
    }
    const version: Version = { table: toTable(app), columns: app.live };
    const newer = await start(database, version.table, app.steps, change.type === 'convert');
    rows.push([await readCounts(newer, app.steps.length), counts.toSorted((a, b) => a - b)]);
    const hasNulls = change.at % 2 === 1;
    ids.push(await addRow(app, newer, version, hasNulls));
    const earlier = await startEarlier(database, before.table);
    if (earlier) ids.push(await addRow(app, earlier, before, hasNulls));
    for (const id of ids) {
      const expected = Object.fromEntries(app.live.map((column) => [column.declared.name, toShown(column, id)]));
      rows.push([(await newer.entities.get('notes', id, all))?.row, { id, ...expected }]);
    }
    before = version;
  }
  return rows;
}

function toTable({ live, index }: App): EntityTable {
  return { name: 'notes', columns: live.map(({ declared }) => declared), indexes: index === null ? [] : [[index]] };
}

/** Starts with a declaration, as the next one even if it looks like an earlier one. */
async function start(
  database: EvolvingDatabase,
  table: EntityTable,
  steps: readonly OwnMigration[] = [],
  allowContract = false,
): Promise<Stores> {
  const stores = await database.open([table], steps);
  await stores.migrate({ revert: true, allowContract });
  return stores;
}

/** Starts the version before, unless it is refused. */
async function startEarlier(database: EvolvingDatabase, table: EntityTable): Promise<Stores | null> {
  const stores = await database.open([table]);
  try {
    await stores.migrate();
    return stores;
  } catch (error) {
    if (error instanceof MigrationError) return null;
    throw error;
  }
}

/** The first one also creates the table in which they keep numbers of rows. */
function toStep(at: number): OwnMigration {
  return {
    id: `step-${at}`,
    async up(sql) {
      if (at === 0) await sql`CREATE TABLE own_counts (rows_ INTEGER NOT NULL)`;
      await sql`INSERT INTO own_counts SELECT COUNT(*) FROM app_notes`;
    },
  };
}

async function readCounts(stores: Stores, steps: number): Promise<readonly unknown[]> {
  if (steps === 0) return [];
  const rows = await stores.transaction((tx) => tx.sql`SELECT rows_ FROM own_counts ORDER BY rows_`);
  return rows.map((row) => Number(row['rows_']));
}

/** An integer is what is left of the number that it was. */
function toShown({ declared, values }: TrackedColumn, id: string): EntityValue {
  const value = values.get(id) ?? null;
  return declared.type === 'integer' && typeof value === 'number' ? Math.round(value) : value;
}

function applyChange(app: App, change: Change, ids: readonly string[]): void {
  const { type, at, name } = change;
  // A start that may convert also drops what was only kept.
  if (type === 'convert') app.dropped = [];
  if (type === 'convert') app.live = app.live.map((column) => ({ ...column, isWidened: false }));
  const chosen = app.live[at % Math.max(app.live.length, 1)];
  const isFree = app.live.every(({ declared }) => declared.name !== name);
  if (type === 'add' && isFree) app.live = [...app.live, addColumn(app, change, ids)];
  if (!chosen) return;
  if (type === 'widen' && chosen.declared.type === 'integer') widen(app, chosen);
  if (type === 'convert' && chosen.declared.type !== 'text' && chosen.source === null) convert(app, chosen);
  if (type === 'index') app.index = app.index === null ? chosen.declared.name : null;
  if (type === 'loosen') replace(app, chosen, { ...chosen.declared, nullable: true });
  if (type === 'rename' && isFree)
    replace(app, chosen, { ...chosen.declared, name, renamedFrom: chosen.declared.name });
  // A dropped name that returns has values already.
  const isNew =
    isFree && !app.dropped.some((each) => each.declared.name === name && isOrWas(each, chosen.declared.type));
  if (type === 'copy' && isNew) app.live = [...app.live, copyColumn(chosen, name, change.isRequired)];
  if (type === 'move' && isNew) app.live = [...app.live, copyColumn(chosen, name, false)];
  // While it is not declared, a copy may still get values of the other column.
  if (chosen.source !== null || (type === 'move' ? !isNew : type !== 'drop')) return;
  app.live = app.live.filter((column) => column !== chosen);
  app.dropped = [...app.dropped, chosen];
  if (app.index === chosen.declared.name) app.index = null;
}

/** A new column with the values of another one; a required one in rows of the version before as well. */
function copyColumn(from: TrackedColumn, name: string, isRequired: boolean): TrackedColumn {
  const { type, nullable } = from.declared;
  const unknown = nullable || !isRequired ? null : type === 'text' ? 'none' : 9;
  const shown = [...from.values.keys()].map((id) => [id, toShown(from, id) ?? unknown] as const);
  const declared: EntityColumn = {
    name,
    type,
    nullable: unknown === null,
    backfillFrom: from.declared.name,
    ...(unknown !== null && { default: unknown }),
  };
  return {
    ...from,
    key: Symbol(name),
    declared,
    isWidened: false,
    unknown,
    values: new Map(shown),
    source: from.key,
  };
}

function widen(app: App, column: TrackedColumn): void {
  const declared: EntityColumn = { ...column.declared, type: 'number' };
  app.live = app.live.map((each) => (each === column ? { ...column, declared, isWidened: true } : each));
}

/** Converts a column to texts. The old column stays as it is, until the next conversion drops it. */
function convert(app: App, column: TrackedColumn): void {
  const toText = (old: EntityValue): EntityValue => (old === null ? null : `t${Number(old)}`);
  const before = [...column.values.keys()].map((id) => [id, toShown(column, id)] as const);
  const { name, nullable } = column.declared;
  const declared: EntityColumn = { name, type: 'text', nullable, convert: toText };
  const values = new Map(before.map(([id, value]) => [id, toText(value)]));
  app.live = app.live.map((each) =>
    each === column ? { ...column, key: Symbol(), declared, unknown: null, values } : each,
  );
  app.dropped = [...app.dropped, { ...column, isWidened: false, values: new Map(before) }];
}

function replace(app: App, column: TrackedColumn, declared: EntityColumn): void {
  if (app.index === column.declared.name) app.index = declared.name;
  app.live = app.live.map((each) => (each === column ? { ...column, declared } : each));
}

/** A dropped name that returns with its type has its values again. */
function addColumn(app: App, { name, column, isRequired }: Change, ids: readonly string[]): TrackedColumn {
  const value = column === 'text' ? 'new' : 7;
  const type = column === 'text' ? 'text' : 'integer';
  const declared: EntityColumn = { name, type, nullable: !isRequired, ...(isRequired && { default: value }) };
  const kept = app.dropped.findLast((each) => each.declared.name === name && isOrWas(each, type));
  app.dropped = app.dropped.filter((each) => each !== kept);
  const added: TrackedColumn = kept
    ? { ...kept, declared }
    : {
        key: Symbol(name),
        declared,
        isWidened: false,
        unknown: isRequired ? value : null,
        values: new Map(ids.map((id) => [id, isRequired ? value : null])),
        source: null,
      };
  if (isRequired) for (const id of ids) if ((added.values.get(id) ?? null) === null) added.values.set(id, value);
  return added;
}

function isOrWas({ declared, isWidened }: TrackedColumn, type: string): boolean {
  return declared.type === type || (isWidened && type === 'integer');
}

/** Adds a row by a version of the app, whose columns may have other names than those of the newest. */
async function addRow(app: App, stores: Stores, version: Version, hasNulls: boolean): Promise<string> {
  const id = sampleId();
  const cells = version.columns.map(({ key, declared }, at) => {
    const value = declared.type === 'text' ? `${declared.name}-${id}` : declared.type === 'number' ? at + 0.25 : at;
    return { key, name: declared.name, value: hasNulls && declared.nullable ? null : value };
  });
  await stores.entities.create('notes', { id, ...Object.fromEntries(cells.map(({ name, value }) => [name, value])) });
  const valueOf = (wanted: symbol | null): EntityValue | undefined => cells.find(({ key }) => key === wanted)?.value;
  for (const column of [...app.live, ...app.dropped]) {
    const isFollowing = !column.declared.nullable || app.dropped.some(({ key }) => key === column.source);
    const copied = isFollowing ? valueOf(column.source) : undefined;
    const own = valueOf(column.key);
    column.values.set(id, own === undefined ? (copied ?? column.unknown) : own);
  }
  return id;
}
