import { type EntityColumn, type EntityTable, type EntityValue, MigrationError, type Stores } from '@x/store';
import { all } from '@x/store/where';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EvolvingDatabase } from './evolving-database.ts';
import { sampleId } from './sample-entities.ts';

/** Compares chains of declarations, each with the one before beside it, with a model of what becomes of every value. */
export function describeEntityChains(createDatabase: () => Promise<EvolvingDatabase>, rounds: number): void {
  it('lose no value that a declaration can hold, along any chain of them', { timeout: 600_000 }, async () => {
    const change = fc.record({
      type: fc.constantFrom('add', 'drop', 'rename', 'loosen', 'index', 'widen', 'convert'),
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
}

/** The app as the model knows it. */
interface App {
  live: readonly TrackedColumn[];
  dropped: readonly TrackedColumn[];
  index: string | null;
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
  const app: App = { live: [], dropped: [], index: null };
  let before: Version = { table: toTable(app), columns: [] };
  await start(database, before.table);
  const ids: string[] = [];
  for (const change of changes) {
    applyChange(app, change, ids);
    const version: Version = { table: toTable(app), columns: app.live };
    const newer = await start(database, version.table, change.type === 'convert');
    ids.push(await addRow(app, newer, version));
    const earlier = await startEarlier(database, before.table);
    if (earlier) ids.push(await addRow(app, earlier, before));
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
async function start(database: EvolvingDatabase, table: EntityTable, allowContract = false): Promise<Stores> {
  const stores = await database.open([table]);
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

/** An integer is what is left of the number that it was. */
function toShown({ declared, values }: TrackedColumn, id: string): EntityValue {
  const value = values.get(id) ?? null;
  return declared.type === 'integer' && typeof value === 'number' ? Math.round(value) : value;
}

function applyChange(app: App, change: Change, ids: readonly string[]): void {
  const { type, at, name } = change;
  const chosen = app.live[at % Math.max(app.live.length, 1)];
  const isFree = app.live.every(({ declared }) => declared.name !== name);
  if (type === 'add' && isFree) app.live = [...app.live, addColumn(app, change, ids)];
  if (type === 'convert') app.dropped = [];
  if (type === 'convert') app.live = app.live.map((column) => ({ ...column, isWidened: false }));
  if (!chosen) return;
  if (type === 'widen' && chosen.declared.type === 'integer') widen(app, chosen);
  if (type === 'convert' && chosen.declared.type !== 'text') convert(app, chosen);
  if (type === 'index') app.index = app.index === null ? chosen.declared.name : null;
  if (type === 'loosen') replace(app, chosen, { ...chosen.declared, nullable: true });
  if (type === 'rename' && isFree)
    replace(app, chosen, { ...chosen.declared, name, renamedFrom: chosen.declared.name });
  if (type !== 'drop') return;
  app.live = app.live.filter((column) => column !== chosen);
  app.dropped = [...app.dropped, chosen];
  if (app.index === chosen.declared.name) app.index = null;
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
      };
  if (isRequired) for (const id of ids) if ((added.values.get(id) ?? null) === null) added.values.set(id, value);
  return added;
}

function isOrWas({ declared, isWidened }: TrackedColumn, type: string): boolean {
  return declared.type === type || (isWidened && type === 'integer');
}

/** Adds a row by a version of the app, whose columns may have other names than those of the newest. */
async function addRow(app: App, stores: Stores, version: Version): Promise<string> {
  const id = sampleId();
  const cells = version.columns.map(({ key, declared }, at) => {
    const value = declared.type === 'text' ? `${declared.name}-${id}` : declared.type === 'number' ? at + 0.25 : at;
    return { key, name: declared.name, value };
  });
  await stores.entities.create('notes', { id, ...Object.fromEntries(cells.map(({ name, value }) => [name, value])) });
  for (const column of [...app.live, ...app.dropped]) {
    column.values.set(id, cells.find(({ key }) => key === column.key)?.value ?? column.unknown);
  }
  return id;
}
