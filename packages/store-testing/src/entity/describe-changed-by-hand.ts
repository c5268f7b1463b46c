import { hash } from 'node:crypto';
import type { EntityColumn, EntityTable, AppSql } from '@x/store';
import { all } from '@x/store/where';
import { expect } from 'vitest';
import type { VersionTest } from './describe-entity-versions.ts';
import { sampleId } from './sample-entities.ts';

const title: EntityColumn = { name: 'title', type: 'text', nullable: false, unique: true };
const rank: EntityColumn = { name: 'rank', type: 'integer', nullable: true };
const notes: EntityTable = { name: 'notes', columns: [title, rank], indexes: [] };

/** Describes the problems and notices of tables that were changed by hand. */
export function describeChangedByHand(it: VersionTest): void {
  it.for<[string, (sql: AppSql) => Promise<unknown>, string]>([
    ['a table that was dropped', (sql) => sql`DROP TABLE app_notes`, 'notes: its table app_notes was dropped'],
    [
      'a column that was renamed',
      (sql) => sql`ALTER TABLE app_notes RENAME COLUMN rank TO level`,
      'notes.rank: its column app_notes.rank was dropped or renamed',
    ],
    [
      'a column of another type',
      async (sql) => {
        await sql`ALTER TABLE app_notes RENAME COLUMN rank TO former`;
        await sql`ALTER TABLE app_notes ADD COLUMN rank TEXT`;
      },
      'notes.rank: its column app_notes.rank was changed from ',
    ],
  ])('stop the start at %s by hand', async ([, change, problem], { start, database }) => {
    const { stores } = await start([notes]);
    await stores.transaction((tx) => change(tx.sql));
    const again = await database.open([notes]);
    expect((await again.planMigration()).problems).toEqual([expect.stringContaining(problem)]);
    await expect(start([notes])).rejects.toThrow(problem);
  });

  it('stop the start at a table that no declaration has made', async ({ start }) => {
    const { stores } = await start([]);
    await stores.transaction((tx) => tx.sql`CREATE TABLE app_notes (id TEXT)`);
    await expect(start([notes])).rejects.toThrow('notes: there is a table app_notes that no declaration has made');
  });

  it('leave columns alone that were added by hand, and say so', async ({ start }) => {
    const { stores } = await start([notes]);
    await stores.transaction((tx) => tx.sql`ALTER TABLE app_notes ADD COLUMN extra TEXT`);
    const { outcome } = await start([notes], { allowContract: true });
    expect(outcome.notices).toEqual(['notes: the column app_notes.extra is not declared; it is left alone']);
    expect((await start([notes])).outcome.notices).toHaveLength(1);
  });

  it('build an index again that was dropped by hand, and say so', async ({ start }) => {
    const { stores } = await start([notes]);
    const drop = [`DROP INDEX app_notes_${hash('sha256', JSON.stringify([['title'], true])).slice(0, 12)}`];
    await stores.transaction((tx) => tx.sql(Object.assign(drop, { raw: drop })));
    const { outcome, stores: again } = await start([notes]);
    expect(outcome.notices).toEqual(['notes.title: its unique index was dropped; it is built again']);
    await again.entities.create('notes', { id: sampleId(), title: 'Same' });
    const twin = again.entities.create('notes', { id: sampleId(), title: 'Same' });
    await expect(twin).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await again.entities.count('notes', all)).toBe(1);
    expect((await start([notes])).outcome.notices).toEqual([]);
  });
}
