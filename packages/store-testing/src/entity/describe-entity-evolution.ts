import {
  type EntityColumn,
  type EntityStore,
  type EntityTable,
  type EntityValues,
  type MigrateOptions,
  MigrationError,
  type Stores,
} from '@x/store';
import { all } from '@x/store/where';
import { describe, expect, it } from 'vitest';
import { describeChangedByHand } from './describe-changed-by-hand.ts';
import { describeCopiedColumns } from './describe-copied-columns.ts';
import { describeEntityChains } from './describe-entity-chains.ts';
import { describeConversions } from './describe-entity-conversions.ts';
import { createVersionTest, describeVersions } from './describe-entity-versions.ts';
import { describeEvolvingChanges } from './describe-evolving-changes.ts';
import { describeExistingReferences } from './describe-existing-references.ts';
import { describeOwnMigrations } from './describe-own-migrations.ts';
import { describeKilledMigrations } from './describe-killed-migrations.ts';
import type { EvolvingDatabase } from './evolving-database.ts';
import { sampleId } from './sample-entities.ts';

/** Describes, as a Vitest suite, how the tables of an engine that keeps them follow their declaration. */
export function describeEntityEvolution(name: string, createDatabase: () => Promise<EvolvingDatabase>): void {
  describe(`entities on ${name} whose declaration changes`, () => {
    describeFollowing(createEvolutionTest(createDatabase));
    describeRefusing(createEvolutionTest(createDatabase));
  });
}

/** Describes what versions of a declaration do beside and after each other, and with what others have changed. */
export function describeEntityVersions(name: string, createDatabase: () => Promise<EvolvingDatabase>): void {
  describe(`entities on ${name} whose declaration changes`, () => {
    describeVersions(createVersionTest(createDatabase));
    describeConversions(createVersionTest(createDatabase));
    describeCopiedColumns(createVersionTest(createDatabase));
    describeChangedByHand(createVersionTest(createDatabase));
    describeOwnMigrations(createVersionTest(createDatabase));
    describeEvolvingChanges(createVersionTest(createDatabase));
    describeExistingReferences(createVersionTest(createDatabase));
  });
}

/** Describes the guarantees along generated chains of declarations, and for killed processes that follow them. */
export function describeEvolutionChains(
  name: string,
  createDatabase: () => Promise<EvolvingDatabase>,
  { rounds = 1 }: { readonly rounds?: number } = {},
): void {
  describe(`entities on ${name} whose declaration changes again and again`, () => {
    describeEntityChains(createDatabase, rounds);
    describeKilledMigrations(createDatabase, rounds);
  });
}

type EvolutionTest = ReturnType<typeof createEvolutionTest>;

/** Opens the database with the columns of `notes`, beside `books`, and migrates it. */
type Migrate = (
  columns: readonly EntityColumn[],
  indexes?: EntityTable['indexes'],
  unique?: EntityTable['unique'],
  options?: MigrateOptions,
) => Promise<EntityStore>;

function createEvolutionTest(createDatabase: () => Promise<EvolvingDatabase>) {
  return it.extend<{ database: EvolvingDatabase; migrate: Migrate }>({
    // oxlint-disable-next-line no-empty-pattern -- Vitest reads the names of fixtures from the pattern
    database: async ({}, use) => {
      const database = await createDatabase();
      await use(database);
      await database.drop();
    },
    migrate: async ({ database }, use) =>
      use(async (columns, indexes = [], unique = [], options = {}) => {
        const stores = await database.open([{ name: 'notes', columns, indexes, unique }, books]);
        await stores.migrate(options);
        await stores.migrate(options);
        return stores.entities;
      }),
  });
}

const books: EntityTable = { name: 'books', columns: [], indexes: [] };
const title: EntityColumn = { name: 'title', type: 'text', nullable: false };
const rank: EntityColumn = { name: 'rank', type: 'integer', nullable: true };
const bookId: EntityColumn = {
  name: 'bookId',
  type: 'text',
  nullable: true,
  references: { entity: 'books', onDelete: 'cascade' },
};

function describeFollowing(it: EvolutionTest): void {
  it('fill new columns with their default, or with null', async ({ migrate }) => {
    const old = await addNote(await migrate([title]), { title: 'Old' });
    const added: readonly EntityColumn[] = [
      rank,
      bookId,
      { name: 'label', type: 'text', nullable: false, default: "it's \\ '1'; --" },
      { name: 'weight', type: 'number', nullable: false, default: -1.5e21 },
      { name: 'isDone', type: 'boolean', nullable: false, default: true },
      { name: 'dueAt', type: 'timestamp', nullable: false, default: new Date(-5) },
      { name: 'seenAt', type: 'timestamp', nullable: false, default: 'now' },
      { name: 'detail', type: 'json', nullable: false, default: { a: ["'"] } },
      { name: 'cost', type: 'decimal', nullable: false, decimal: { precision: 6, scale: 2 }, default: '-1.5' },
      { name: 'dueOn', type: 'date', nullable: false, default: '2026-01-31' },
    ];
    const entities = await migrate([title, ...added]);
    const expected = {
      id: old,
      title: 'Old',
      rank: null,
      bookId: null,
      label: "it's \\ '1'; --",
      weight: -1.5e21,
      isDone: true,
      dueAt: new Date(-5),
      seenAt: expect.any(Date) as Date,
      detail: { a: ["'"] },
      cost: '-1.50',
      dueOn: '2026-01-31',
    };
    expect(await entities.get('notes', old, all)).toEqual({ row: expected, version: 1 });
  });

  it('keep the values of a column that is no longer declared, and ignore it', async ({ migrate }) => {
    const unique: EntityColumn = { ...title, unique: true };
    const old = await addNote(await migrate([unique, rank, bookId]), { title: 'Old', rank: 3 });
    const between = await migrate([rank]);
    expect((await between.get('notes', old, all))?.row).toEqual({ id: old, rank: 3 });
    const added = [await addNote(between, { rank: 1 }), await addNote(between, { rank: 1 })];
    for (const id of added) await between.delete('notes', id, { where: all });
    const again = await migrate([unique, rank, bookId]);
    expect((await again.get('notes', old, all))?.row).toEqual({ id: old, title: 'Old', rank: 3, bookId: null });
    await expect(addNote(again, { title: 'Old' })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('fill a column that is declared again with its default in rows stored meanwhile', async ({ migrate }) => {
    await migrate([title, rank]);
    const id = await addNote(await migrate([rank]), { rank: 1 });
    const again = await migrate([{ ...title, default: 'Untitled' }, rank]);
    expect(await again.get('notes', id, all)).toMatchObject({ row: { title: 'Untitled' } });
  });

  it('keep the values, the index and the reference of a renamed column', async ({ migrate }) => {
    const before = await migrate([{ ...title, unique: true }, bookId], [['title']]);
    const id = await addNote(before, { title: 'Old' });
    const renamed: readonly EntityColumn[] = [
      { ...title, name: 'headline', unique: true, renamedFrom: 'title' },
      { ...bookId, name: 'volumeId', renamedFrom: 'bookId' },
    ];
    for (const entities of [await migrate(renamed, [['headline']]), await migrate(renamed, [['headline']])]) {
      expect((await entities.get('notes', id, all))?.row).toEqual({ id, headline: 'Old', volumeId: null });
      await expect(addNote(entities, { headline: 'Old' })).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(addNote(entities, { headline: 'New', volumeId: id })).rejects.toMatchObject({ code: 'CONFLICT' });
    }
  });

  it('may use the old name of a renamed column again', async ({ migrate }) => {
    const id = await addNote(await migrate([title], [['title']]), { title: 'Old' });
    await migrate([{ ...title, name: 'headline', renamedFrom: 'title' }], [['headline']]);
    const both: readonly EntityColumn[] = [
      { ...title, name: 'headline', renamedFrom: 'title' },
      { ...title, nullable: true },
    ];
    const entities = await migrate(both, [['headline'], ['title']]);
    expect((await entities.get('notes', id, all))?.row).toEqual({ id, headline: 'Old', title: null });
  });

  it('may make a column nullable or no longer unique', async ({ migrate }) => {
    await addNote(await migrate([{ ...title, unique: true }]), { title: 'Same' });
    const entities = await migrate([{ ...title, nullable: true }]);
    for (const value of [null, 'Same']) await addNote(entities, { title: value });
    expect(await entities.count('notes', all)).toBe(3);
  });

  it('make a column unique if no two rows have the same value', async ({ migrate }) => {
    const before = await migrate([rank]);
    for (const value of [1, null, null]) await addNote(before, { rank: value });
    const entities = await migrate([{ ...rank, unique: true }], [], [], { allowContract: true });
    await expect(addNote(entities, { rank: 1 })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('make a group of columns unique if no two rows have the same values, and free it again', async ({ migrate }) => {
    const before = await migrate([title, rank]);
    for (const value of [1, 2, null, null]) await addNote(before, { title: 'Same', rank: value });
    const entities = await migrate([title, rank], [], [['title', 'rank']], { allowContract: true });
    await expect(addNote(entities, { title: 'Same', rank: 1 })).rejects.toMatchObject({ code: 'CONFLICT' });
    await addNote(entities, { title: 'Other', rank: 1 });
    await addNote(await migrate([title, rank], [], [], { revert: true }), { title: 'Same', rank: 1 });
    const again = migrate([title, rank], [], [['title', 'rank']], { revert: true, allowContract: true });
    await expect(again).rejects.toThrow('notes.title, rank: ');
  });

  it('leave the columns of tables that are not declared alone', async ({ database, migrate }) => {
    const id = await addNote(await migrate([title]), { title: 'Old' });
    const without = await database.open([books]);
    await without.migrate();
    const entities = await migrate([title]);
    expect(await entities.get('notes', id, all)).toMatchObject({ row: { title: 'Old' } });
  });

  it('may refer to each other, and be migrated by many processes at once', async ({ database }) => {
    const tables: readonly EntityTable[] = [
      { name: 'eggs', columns: [toReference('henId', 'hens')], indexes: [] },
      { name: 'hens', columns: [toReference('eggId', 'eggs')], indexes: [] },
    ];
    const opened = await Promise.all(Array.from({ length: 6 }, () => database.open(tables)));
    await Promise.all(opened.map((stores) => stores.migrate()));
    const [egg, hen] = [sampleId(), sampleId()];
    const [{ entities }] = opened as [Stores];
    await entities.create('eggs', { id: egg });
    await entities.create('hens', { id: hen, eggId: egg });
    await entities.update('eggs', egg, { values: { henId: hen }, where: all });
    await entities.delete('hens', hen, { where: all });
    expect(await entities.count('eggs', all)).toBe(0);
  });
}

function describeRefusing(it: EvolutionTest): void {
  const refusals: readonly [string, readonly EntityColumn[], string][] = [
    ['a new column that can hold nothing', [title, { ...rank, nullable: false }], 'notes.rank: '],
    ['a new reference that may not be null', [title, { ...bookId, nullable: false }], 'notes.bookId: '],
    ['another type', [{ ...title, type: 'integer' }], 'notes.title: '],
    [
      'a reference that was none',
      [{ ...title, references: { entity: 'books', onDelete: 'restrict' } }],
      'notes.title: ',
    ],
    ['an unknown entity', [title, toReference('otherId', 'others')], 'notes.otherId: there is no entity others'],
    ['a column that held one value twice, as unique', [{ ...title, unique: true }], 'notes.title: '],
  ];
  it.for(refusals)('stop the start at %s, and change nothing', async ([, columns, place], { database, migrate }) => {
    const before = await migrate([title]);
    const ids = [await addNote(before, { title: 'Same' }), await addNote(before, { title: 'Same' })];
    const stores = await database.open([{ name: 'notes', columns, indexes: [['title']] }, books]);
    const refusal = await stores.migrate({ allowContract: true }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(MigrationError);
    expect(String(refusal)).toContain(place);
    const after = await migrate([title]);
    for (const id of ids) expect((await after.get('notes', id, all))?.row).toEqual({ id, title: 'Same' });
  });

  it('cannot require a column that is null in some rows', async ({ migrate }) => {
    await addNote(await migrate([rank]), { rank: null });
    await expect(migrate([{ ...rank, nullable: false }])).rejects.toThrow('notes.rank: 1 rows have null in it');
  });

  it('may declare a required column again without a default if no row needs it', async ({ migrate }) => {
    await addNote(await migrate([title, rank]), { title: 'Old' });
    await addNote(await migrate([rank]), { rank: 1 });
    await expect(migrate([title, rank])).rejects.toThrow(
      'notes.title: a newer declaration has stored rows with null in it',
    );
  });

  it('report all problems together', async ({ migrate }) => {
    await migrate([title, rank]);
    const refusal = await migrate([
      { ...title, type: 'json' },
      { ...rank, type: 'text' },
    ]).catch((error: unknown) => error);
    expect(String(refusal).split('\n')).toHaveLength(3);
  });
}

function toReference(name: string, entity: string): EntityColumn {
  return { name, type: 'text', nullable: true, references: { entity, onDelete: 'cascade' } };
}

async function addNote(entities: EntityStore, values: EntityValues): Promise<string> {
  const id = sampleId();
  await entities.create('notes', { id, ...values });
  return id;
}
