import {
  type EntityColumn,
  type EntityTable,
  type MigrateOptions,
  MigrationError,
  type MigrationOutcome,
  type Stores,
} from '@x/store';
import { all, eq, isNull, not } from '@x/store/where';
import { expect, it, type TestAPI } from 'vitest';
import type { EvolvingDatabase } from './evolving-database.ts';
import { sampleId } from './sample-entities.ts';

/** The `it` of tests with several versions on one database. */
export type VersionTest = TestAPI<{ database: EvolvingDatabase; start: Start }>;

/** A process of one version of the app. */
interface Version {
  readonly stores: Stores;
  readonly outcome: MigrationOutcome;
}

/** Starts a version: opens the database with its declaration, and migrates. */
type Start = (entities: readonly EntityTable[], options?: MigrateOptions) => Promise<Version>;

/** Makes it. */
export function createVersionTest(createDatabase: () => Promise<EvolvingDatabase>): VersionTest {
  return it.extend<{ database: EvolvingDatabase; start: Start }>({
    // oxlint-disable-next-line no-empty-pattern -- Vitest reads the names of fixtures from the pattern
    database: async ({}, use) => {
      const database = await createDatabase();
      await use(database);
      await database.drop();
    },
    start: async ({ database }, use) =>
      use(async (entities, options) => {
        const stores = await database.open(entities);
        return { stores, outcome: await stores.migrate(options) };
      }),
  });
}

const title: EntityColumn = { name: 'title', type: 'text', nullable: false };
const rank: EntityColumn = { name: 'rank', type: 'integer', nullable: true };
const headline: EntityColumn = { ...title, name: 'headline', unique: true, renamedFrom: 'title' };
const level: EntityColumn = { name: 'level', type: 'text', nullable: false, values: ['low', 'normal', 'high'] };

function toText(name: string, renamedFrom?: string): EntityColumn {
  return { name, type: 'text', nullable: false, ...(renamedFrom !== undefined && { renamedFrom }) };
}

const firstOf = { where: all, order: [{ column: 'id', direction: 'asc' }], after: null, limit: 1 } as const;

const allowContract: MigrateOptions = { allowContract: true };

function toNotes(...columns: readonly EntityColumn[]): EntityTable {
  return { name: 'notes', columns, indexes: [] };
}

/** Describes how versions of an app share a database, and what waits until the earlier ones have ended. */
export function describeVersions(it: VersionTest): void {
  it('let an earlier version run on the names of a newer one, before and after it starts again', async ({ start }) => {
    const [first, second] = [[toNotes(title, rank)], [toNotes(headline, rank)]];
    const { stores: old } = await start(first);
    const before = await addNote(old, { title: 'Before' });
    const { stores: newer } = await start(second, allowContract);
    const meanwhile = await addNote(old, { title: 'Meanwhile' });
    const { stores: again, outcome } = await start(first);
    const after = await addNote(again, { title: 'After' });
    expect(outcome.notices).toHaveLength(1);
    for (const [id, text] of [
      [before, 'Before'],
      [meanwhile, 'Meanwhile'],
      [after, 'After'],
    ] as const) {
      expect(await newer.entities.get('notes', id, eq('headline', text))).toMatchObject({ row: { headline: text } });
      expect(await again.entities.get('notes', id, eq('title', text))).toMatchObject({ row: { title: text } });
    }
    await expect(addNote(again, { title: 'After' })).rejects.toMatchObject({ code: 'CONFLICT' });
    const { outcome: restarted } = await start(second);
    expect(restarted).toEqual({ taken: [], waiting: [], notices: [] });
  });

  it('give an earlier version that inserts the defaults of the newer one', async ({ start }) => {
    const { stores: old } = await start([toNotes(title)]);
    const label: EntityColumn = { name: 'label', type: 'text', nullable: false, default: 'new', backfill: 'old' };
    const { stores: newer } = await start([toNotes(title, label)]);
    const id = await addNote(old, { title: 'Meanwhile' });
    expect(await newer.entities.get('notes', id, all)).toMatchObject({ row: { label: 'old' } });
  });

  it('give an earlier version the defaults of columns that the newer one dropped, until that is allowed', async ({
    start,
  }) => {
    const rated: EntityColumn = { ...rank, nullable: false, default: 5 };
    const stage: EntityColumn = { ...level, default: 'normal' };
    const [first, second] = [[toNotes(title, rated, stage)], [toNotes(title)]];
    await start([toNotes(title, rated)]);
    const { stores: old } = await start(first);
    const { stores: newer, outcome } = await start(second);
    expect(outcome.waiting.map((step) => step.title)).toEqual(['drop notes.rank', 'drop notes.level']);
    expect(outcome.notices).toEqual([]);
    const id = await addNote(newer, { title: 'New' });
    const own = await addNote(old, { title: 'Old', rank: 7, level: 'high' });
    const { stores: again } = await start(first);
    for (const stores of [old, again]) {
      expect(await stores.entities.get('notes', id, eq('rank', 5))).toMatchObject({
        row: { rank: 5, level: 'normal' },
      });
      expect(await stores.entities.get('notes', own, all)).toMatchObject({ row: { rank: 7, level: 'high' } });
      await stores.entities.update('notes', id, { values: { title: 'Changed' }, where: all });
    }
    expect(await newer.entities.get('notes', own, all)).toMatchObject({ row: { title: 'Old' } });
    await start(second, allowContract);
    await expect(start(first)).rejects.toThrow('notes.rank: a newer declaration has dropped it');
  });

  it('drop a required column in two releases, and say so where that was one', async ({ start }) => {
    const notice = 'notes.rank: earlier versions, which require it, read null in new rows';
    const required: EntityColumn = { ...rank, nullable: false };
    await start([toNotes(title, required)]);
    const { outcome } = await start([toNotes(title)]);
    expect(outcome.notices).toEqual([expect.stringContaining(notice) as string]);
    await start([toNotes(title, required)], { revert: true });
    const { stores: old, outcome: loosened } = await start([toNotes(title, rank)]);
    const { stores: newer, outcome: dropped } = await start([toNotes(title)], { revert: true });
    expect([...loosened.notices, ...dropped.notices]).toEqual([]);
    const id = await addNote(newer, { title: 'New' });
    expect(await old.entities.get('notes', id, all)).toMatchObject({ row: { rank: null } });
    await addNote(old, { title: 'Old', rank: 3 });
  });

  it('name the remedy where a column or an entity has lost its former name', async ({ start }) => {
    await start([toNotes(title), toPages('notes')]);
    const renamed = start([toNotes({ ...title, name: 'headline' }), toPages('notes')]);
    await expect(renamed).rejects.toThrow("if title was its name, declare it with renamedFrom: 'title'");
    const forgotten = start([{ ...toNotes(title), name: 'memos' }, toPages('memos')]);
    await expect(forgotten).rejects.toThrow("if notes was the name of memos, declare that with renamedFrom: 'notes'");
    await start([{ ...toNotes(headline), name: 'memos', renamedFrom: 'notes' }, toPages('memos')]);
    await expect(start([toNotes({ ...title, nullable: true }, rank)])).rejects.toThrow(
      "notes: a newer declaration has renamed it to memos; declare memos, with renamedFrom: 'notes'",
    );
    const sibling = start([{ ...toNotes({ ...title, nullable: true }, rank), name: 'memos' }]);
    await expect(sibling).rejects.toThrow("renamed it to headline; declare headline, with renamedFrom: 'title'");
  });

  it('refuse an earlier version whose column is gone or null, and change nothing', async ({ start }) => {
    const first = [toNotes(title, rank)];
    await start(first);
    const { stores: newer } = await start([toNotes(rank)]);
    await addNote(newer, { rank: 1 });
    await expect(start(first)).rejects.toThrow('notes.title: a newer declaration has stored rows with null in it');
    await start([toNotes(rank)], allowContract);
    await expect(start(first)).rejects.toThrow('notes.title: a newer declaration has dropped it');
    expect(await newer.entities.count('notes', all)).toBe(1);
  });

  it('refuse a version that only knows the former name', async ({ start }) => {
    await start([toNotes(title)]);
    await start([toNotes(headline)]);
    const sibling = start([toNotes({ ...title, nullable: true }, rank)]);
    await expect(sibling).rejects.toThrow('notes.title: a newer declaration has renamed it to headline');
  });

  it('refuse a rename onto the name of another column, whose values would be served instead', async ({ start }) => {
    const { stores } = await start([toNotes(toText('a'), toText('b'))]);
    const id = await addNote(stores, { a: 'A', b: 'B' });
    const taken = 'notes.a: is renamed from b, but there is another a';
    for (const options of [{}, allowContract, { revert: true }]) {
      await expect(start([toNotes(toText('a', 'b'))], options)).rejects.toThrow(taken);
      await expect(start([toNotes(toText('c', 'a'), toText('a', 'b'))], options)).rejects.toThrow(taken);
      await expect(start([toNotes(toText('c', 'a'), toText('a'))], options)).rejects.toThrow(
        'notes.c: is renamed from a, which is declared, too',
      );
    }
    expect(await stores.entities.get('notes', id, all)).toMatchObject({ row: { a: 'A', b: 'B' } });
    await start([toNotes(toText('c', 'a'), toText('b'))]);
    const { stores: newer } = await start([toNotes(toText('c', 'a'), toText('a', 'b'))]);
    expect(await newer.entities.get('notes', id, all)).toMatchObject({ row: { c: 'A', a: 'B' } });
  });

  it('refuse two columns that swap their names, at once or over several versions', async ({ start }) => {
    const { stores } = await start([toNotes(toText('a'), toText('b'))]);
    const id = await addNote(stores, { a: 'A', b: 'B' });
    const atOnce = start([toNotes(toText('a', 'b'), toText('b', 'a'))]);
    await expect(atOnce).rejects.toThrow(/notes\.a: takes the name .*\n.*notes\.b: takes the name /);
    await start([toNotes(toText('c', 'a'), toText('b'))]);
    await start([toNotes(toText('c', 'a'), toText('a', 'b'))]);
    const last = [toNotes(toText('b', 'c'), toText('a', 'b'))];
    await expect(start(last)).rejects.toThrow(
      'notes.b: is renamed from c, but an earlier version had this declaration',
    );
    const { stores: old } = await start([toNotes(toText('a'), toText('b'))]);
    expect(await old.entities.get('notes', id, all)).toMatchObject({ row: { a: 'A', b: 'B' } });
    const { stores: newer } = await start(last, { revert: true });
    expect(await newer.entities.get('notes', id, all)).toMatchObject({ row: { b: 'A', a: 'B' } });
  });

  it('let a column that is renamed back be what it was, and one go that has the old name of another', async ({
    start,
  }) => {
    const { stores } = await start([toNotes(toText('a'))]);
    const id = await addNote(stores, { a: 'A' });
    await start([toNotes(toText('b', 'a'))]);
    const { stores: back } = await start([toNotes(toText('a', 'b'))]);
    expect(await back.entities.get('notes', id, all)).toMatchObject({ row: { a: 'A' } });
    await start([toNotes(toText('b', 'a'), { ...toText('a'), nullable: true })]);
    const { stores: newest } = await start([toNotes(toText('b', 'a'))], { revert: true });
    expect(await newest.entities.get('notes', id, all)).toMatchObject({ row: { b: 'A' } });
  });

  it('refuse an entity that is renamed onto the name of another, or swaps names with it', async ({ start }) => {
    const [one, other] = [toNotes(title), { ...toNotes(title), name: 'memos' }];
    await start([one, other]);
    await expect(start([{ ...other, renamedFrom: 'notes' }])).rejects.toThrow(
      'memos: is renamed from notes, but there',
    );
    const swapped = start([
      { ...other, renamedFrom: 'notes' },
      { ...one, renamedFrom: 'memos' },
    ]);
    await expect(swapped).rejects.toThrow('memos: takes the name of another one that takes its name');
  });

  it('let what is dropped, unique or required wait until it is allowed', async ({ database, start }) => {
    const first: EntityTable = { ...toNotes(title, rank), indexes: [['rank']] };
    const { stores: old } = await start([first]);
    const id = await addNote(old, { title: 'Same', rank: 3 });
    const next = [toNotes({ ...title, unique: true })];
    const { stores, outcome } = await start(next);
    const titles = ['drop the index of notes.rank', 'make notes.title unique', 'drop notes.rank'];
    expect(outcome.waiting.map((step) => step.title).toSorted()).toEqual(titles.toSorted());
    expect(outcome.waiting.every(({ kind }) => kind === 'contract')).toBe(true);
    const twin = await addNote(stores, { title: 'Same' });
    const refusal = start(next, allowContract);
    await expect(refusal).rejects.toThrow(
      'notes.title: can\'t be unique, 1 values are in several rows: "Same" (2 rows)',
    );
    expect(await old.entities.get('notes', id, all)).toMatchObject({ row: { rank: 3 } });
    await stores.entities.delete('notes', twin, { where: all });
    expect((await start(next, allowContract)).outcome.waiting).toEqual([]);
    await expect(addNote(stores, { title: 'Same' })).rejects.toMatchObject({ code: 'CONFLICT' });
    const later = await database.open(next);
    expect(await later.entities.count('notes', all)).toBe(1);
  });

  it('make some rows unique once that is allowed, and all of them free again at once', async ({ start }) => {
    const { stores } = await start([toNotes(title, rank)]);
    for (const text of ['Same', 'Same']) await addNote(stores, { title: text, rank: 1 });
    const partial = { columns: ['title'], where: not(isNull('rank')), unique: true };
    const next = [{ ...toNotes(title, rank), partialIndexes: [partial] }];
    expect((await start(next)).outcome.waiting.map((step) => step.title)).toEqual([
      'make notes.title where NOT (("rank" IS NULL)) unique',
    ]);
    await expect(start(next, allowContract)).rejects.toThrow('1 values are in several rows: "Same" (2 rows)');
    const [first] = (await stores.entities.list('notes', firstOf)).records;
    await stores.entities.update('notes', first?.row.id ?? '', { values: { rank: null }, where: all });
    await start(next, allowContract);
    await expect(addNote(stores, { title: 'Same', rank: 2 })).rejects.toMatchObject({ code: 'CONFLICT' });
    await addNote(stores, { title: 'Same' });
    await start([toNotes(title, rank)], { revert: true });
    await addNote(stores, { title: 'Same', rank: 2 });
  });

  it('list five of the values that are not unique, and their number', async ({ start }) => {
    const { stores } = await start([toNotes(title)]);
    for (const text of 'abcdefg') for (const copy of [1, 2]) await addNote(stores, { title: text.repeat(copy && 1) });
    const refusal = await start([toNotes({ ...title, unique: true })], allowContract).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(MigrationError);
    expect(String(refusal)).toContain('7 values are in several rows: "a" (2 rows), "b" (2 rows)');
    expect(String(refusal)).toContain('"e" (2 rows), …');
    expect(String(refusal)).not.toContain('"f"');
  });

  it('fill a column that becomes required, once that is allowed', async ({ start }) => {
    const { stores } = await start([toNotes(title, rank)]);
    const id = await addNote(stores, { title: 'Old' });
    const next = [toNotes(title, { ...rank, nullable: false, backfill: 7 })];
    await expect(start(next)).rejects.toThrow('fill notes.rank where it is null: rows need it, and it waits');
    const rows: number[] = [];
    const newer = await start(next, { ...allowContract, onProgress: (progress) => rows.push(progress.rows) });
    expect(rows).toEqual([1]);
    expect(await newer.stores.entities.get('notes', id, all)).toMatchObject({ row: { rank: 7 }, version: 2 });
  });

  it('replace the values that an enum loses, once that is allowed', async ({ start }) => {
    const { stores } = await start([toNotes(level)]);
    const id = await addNote(stores, { level: 'normal' });
    const fewer: EntityColumn = { ...level, values: ['low', 'high'] };
    await expect(start([toNotes(fewer)], allowContract)).rejects.toThrow('no longer declared: "normal" (1 rows)');
    const mapped = [toNotes({ ...fewer, replacedValues: { normal: 'low' } })];
    await expect(start(mapped)).rejects.toThrow(MigrationError);
    const { stores: newer } = await start(mapped, allowContract);
    expect(await newer.entities.get('notes', id, all)).toMatchObject({ row: { level: 'low' } });
    const { outcome } = await start([toNotes({ ...fewer, values: ['low', 'high', 'top'] })]);
    expect(outcome.waiting).toEqual([]);
  });

  it('keep the rows of a renamed entity, for both versions, and give its old name away', async ({ start }) => {
    const first = [toNotes(title), toPages('notes')];
    const { stores: old } = await start(first);
    const id = await addNote(old, { title: 'Old' });
    await old.entities.create('pages', { id: sampleId(), ownerId: id });
    const memos: EntityTable = { ...toNotes(title), name: 'memos', renamedFrom: 'notes' };
    const { stores: newer } = await start([memos, toPages('memos')]);
    expect(await newer.entities.get('memos', id, all)).toMatchObject({ row: { title: 'Old' } });
    const { stores: again } = await start(first);
    expect(await again.entities.get('notes', await addNote(again, { title: 'New' }), all)).not.toBeNull();
    expect(await newer.entities.count('memos', all)).toBe(2);
    const { stores: last } = await start([memos, toPages('memos'), toNotes(rank)]);
    expect(await last.entities.count('notes', all)).toBe(0);
    expect(await last.entities.count('memos', all)).toBe(2);
  });

  it('give a dropped name to a column of another type, and keep the old values until dropping is allowed', async ({
    start,
  }) => {
    const { stores: old } = await start([toNotes(title, rank)]);
    const id = await addNote(old, { title: 'Old', rank: 3 });
    await start([toNotes(title)]);
    const { stores } = await start([toNotes(title, { ...rank, type: 'text' })]);
    expect(await stores.entities.get('notes', id, all)).toMatchObject({ row: { rank: null } });
    await start([toNotes(title)], { revert: true });
    const { stores: back } = await start([toNotes(title, rank)], { revert: true });
    expect(await back.entities.get('notes', id, all)).toMatchObject({ row: { rank: 3 } });
  });

  it('plan every step with its statement and its rows, and change nothing', async ({ database, start }) => {
    const fresh = await database.open([toNotes(title)]);
    expect((await fresh.planMigration()).steps.map((step) => step.title)).toEqual(['create notes', 'add notes.title']);
    const { stores } = await start([toNotes(title, rank)]);
    for (const text of ['a', 'a', 'b']) await addNote(stores, { title: text, rank: 1 });
    const next = await database.open([toNotes({ ...title, nullable: true }, { ...level, default: 'low' })]);
    expect(await next.planMigration()).toEqual({
      steps: [
        {
          kind: 'expand',
          entity: 'notes',
          title: 'add notes.level',
          statement: expect.stringMatching(
            /^ALTER TABLE "app_notes" ADD COLUMN "level" TEXT.* DEFAULT 'low'$/,
          ) as string,
          locks: 'briefly',
          rows: 0,
        },
        {
          kind: 'contract',
          entity: 'notes',
          title: 'drop notes.rank',
          statement: 'ALTER TABLE "app_notes" DROP COLUMN "rank"',
          locks: 'briefly',
          rows: 3,
        },
      ],
      problems: [],
      notices: [],
    });
    const unique = await database.open([toNotes({ ...title, unique: true }, rank)]);
    expect((await unique.planMigration()).problems).toEqual([
      'notes.title: can\'t be unique, 1 values are in several rows: "a" (2 rows)',
    ]);
    const { outcome } = await start([toNotes(title, rank)]);
    expect(outcome).toEqual({ taken: [], waiting: [], notices: [] });
  });

  it('tell which steps they took, of a new table only that it was created', async ({ start }) => {
    const takenBy = async (...given: Parameters<Start>): Promise<readonly string[]> =>
      (await start(...given)).outcome.taken.map(({ kind, entity, title: step }) => `${kind} ${entity}: ${step}`);
    const next = [toNotes({ ...title, unique: true }, { ...level, default: 'low' })];
    expect(await takenBy([toNotes(title, rank)])).toEqual(['expand notes: create notes']);
    expect(await takenBy(next)).toEqual(['expand notes: add notes.level']);
    expect(await takenBy(next, allowContract)).toEqual([
      'contract notes: drop notes.rank',
      'contract notes: make notes.title unique',
    ]);
    expect(await takenBy(next, allowContract)).toEqual([]);
  });
}

function toPages(owner: string): EntityTable {
  const ownerId: EntityColumn = {
    name: 'ownerId',
    type: 'text',
    nullable: true,
    references: { entity: owner, onDelete: 'cascade' },
  };
  return { name: 'pages', columns: [ownerId], indexes: [] };
}

async function addNote(stores: Stores, values: Record<string, string | number>): Promise<string> {
  const id = sampleId();
  await stores.entities.create('notes', { id, ...values });
  return id;
}
