import type { EntityColumn, EntityTable, MigrateOptions, OwnMigration, AppSqlRow, Stores } from '@x/store';
import { all } from '@x/store/where';
import { expect } from 'vitest';
import type { VersionTest } from './describe-entity-versions.ts';
import type { EvolvingDatabase } from './evolving-database.ts';
import { sampleId } from './sample-entities.ts';

const title: EntityColumn = { name: 'title', type: 'text', nullable: false };
const slug: EntityColumn = { name: 'slug', type: 'text', nullable: false, backfill: '' };

function toNotes(...columns: readonly EntityColumn[]): EntityTable {
  return { name: 'notes', columns, indexes: [] };
}

const createLog: OwnMigration = {
  id: 'create-log',
  up: async (sql) => void (await sql`CREATE TABLE own_log (line TEXT NOT NULL)`),
};

/** Logs a line. */
function toLogging(id: string): OwnMigration {
  return { id, up: async (sql) => void (await sql`INSERT INTO own_log (line) VALUES (${id})`) };
}

async function migrate(
  database: EvolvingDatabase,
  migrations: readonly OwnMigration[],
  { entities = [], ...options }: MigrateOptions & { readonly entities?: readonly EntityTable[] } = {},
): Promise<Stores> {
  const stores = await database.open(entities, migrations);
  await stores.migrate(options);
  return stores;
}

async function readLog(stores: Stores): Promise<readonly unknown[]> {
  const rows = await stores.transaction((tx) => tx.sql`SELECT line FROM own_log`);
  return rows.map(({ line }: AppSqlRow) => line);
}

/** Describes how steps of the app's own are taken among those of the tables of entities. */
export function describeOwnMigrations(it: VersionTest): void {
  it('take each step of the app once, in their order, when several processes start', async ({ database }) => {
    const steps = [createLog, toLogging('b'), toLogging('a')];
    const opened = await Promise.all(Array.from({ length: 4 }, () => database.open([], steps)));
    await Promise.all(opened.map((stores) => stores.migrate()));
    expect(await readLog(await migrate(database, steps))).toEqual(['b', 'a']);
    expect(await readLog(await migrate(database, [...steps, toLogging('c')]))).toEqual(['b', 'a', 'c']);
    expect(await readLog(await migrate(database, steps))).toEqual(['b', 'a', 'c']);
  });

  it('say also what was noticed before the steps of the app', async ({ database }) => {
    await migrate(database, [], { entities: [toNotes(title, slug)] });
    const stores = await database.open([toNotes(slug)], [createLog]);
    const { notices } = await stores.migrate();
    expect(notices.map((each) => each.split(':')[0])).toEqual(['notes.title']);
  });

  it('take a step of the app as a whole, and continue with it', async ({ database }) => {
    const failing: OwnMigration = {
      id: 'half',
      async up(sql) {
        await sql`INSERT INTO own_log (line) VALUES ('half')`;
        await sql`INSERT INTO own_log (line) VALUES (${null})`.catch(() => undefined);
      },
    };
    await expect(migrate(database, [createLog, failing, toLogging('after')])).rejects.toThrow(/null/i);
    const stores = await migrate(database, [createLog, toLogging('half'), toLogging('after')]);
    expect(await readLog(stores)).toEqual(['half', 'after']);
  });

  it('take a step of the app between what is new and what is tightened or dropped', async ({ database }) => {
    const old = await migrate(database, [], { entities: [toNotes(title)] });
    const ids = [sampleId(), sampleId()];
    for (const id of ids) await old.entities.create('notes', { id, title: 'Same' });
    const fill: OwnMigration = {
      id: 'fill',
      up: async (sql) => void (await sql`UPDATE app_notes SET slug = id, title = id`),
    };
    const entities = [toNotes({ ...title, unique: true }, { ...slug, unique: true })];
    const planned = await (await database.open(entities, [fill])).planMigration();
    expect(planned.steps.map((step) => step.title)).toEqual(['add notes.slug', 'run fill', 'make notes.slug unique']);
    const reader = await database.open(entities, [fill]);
    const { taken } = await reader.migrate({ allowContract: true });
    expect(taken.map(({ title: step }) => step)).toEqual([
      'add notes.slug',
      'run fill',
      'make notes.title unique',
      'make notes.slug unique',
    ]);
    const stores = await migrate(database, [fill], { entities, allowContract: true });
    const found = await Promise.all(ids.map((id) => stores.entities.get('notes', id, all)));
    expect(found.map((record) => record?.row['slug'])).toEqual(ids);
  });

  it('make unique what is new, after the steps of the app, even if one of them failed at first', async ({
    database,
  }) => {
    const entities = [toNotes({ ...title, unique: true })];
    const failing: OwnMigration = { ...createLog, up: async (sql) => void (await sql`CREATE TABLE`) };
    await expect(migrate(database, [failing], { entities })).rejects.toThrow(/syntax|incomplete/);
    const stores = await migrate(database, [createLog], { entities });
    expect((await stores.planMigration()).steps).toEqual([]);
    await stores.entities.create('notes', { id: sampleId(), title: 'Same' });
    const again = stores.entities.create('notes', { id: sampleId(), title: 'Same' });
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('list the values that a step of the app has left equal where they are about to be unique', async ({
    database,
  }) => {
    const old = await migrate(database, [], { entities: [toNotes(title)] });
    for (const id of [sampleId(), sampleId()]) await old.entities.create('notes', { id, title: 'Same' });
    const fill: OwnMigration = { id: 'fill', up: async (sql) => void (await sql`UPDATE app_notes SET slug = title`) };
    const entities = [toNotes(title, { ...slug, unique: true })];
    await expect(migrate(database, [fill], { entities })).rejects.toThrow(/slug.*Same/);
  });

  it('refuse steps of the app whose ids are empty or the same, and statements after the end of one', async ({
    database,
  }) => {
    const twice = database.open([], [createLog, createLog, { ...createLog, id: '' }]);
    await expect(twice).rejects.toThrow('migrations: two steps have the id create-log');
    let late: () => Promise<unknown> = async () => undefined;
    const keeping: OwnMigration = {
      id: 'keeping',
      async up(sql) {
        late = () => sql`SELECT 1 AS one`;
      },
    };
    await migrate(database, [keeping]);
    await expect(late()).rejects.toThrow('The migration keeping has ended');
  });
}
