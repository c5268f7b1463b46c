import type { EntityStore, EntityTable } from '@x/store';
import { all, contains } from '@x/store/where';
import { ManualClock } from '@x/store-testing/clock';
import { describe, expect, it } from 'vitest';
import { createMemoryDatabase, openMemoryStores } from '../create-memory-stores.ts';

const notes: EntityTable = {
  name: 'notes',
  columns: [
    { name: 'ownerId', type: 'text', nullable: true, references: { entity: 'notes', onDelete: 'restrict' } },
    { name: 'title', type: 'text', nullable: false },
  ],
  indexes: [],
};

const byTitle = [
  { column: 'title', direction: 'asc' },
  { column: 'id', direction: 'asc' },
] as const;

const where = contains('title', 'pear');

type Search = (entities: EntityStore, values: readonly string[]) => Promise<unknown>;

const searches: readonly Search[] = [
  (entities) => entities.list('notes', { where, order: byTitle, after: null, limit: 9 }),
  (entities) => entities.list('notes', { where, order: byTitle.slice(1), after: null, limit: 9 }),
  (entities, values) => entities.listRelated('notes', { column: 'id', values, where, limitEach: 9 }),
  (entities) => entities.count('notes', where),
  (entities) => entities.aggregate('notes', { where, groupBy: ['title'], measures: [], limit: 9 }),
  (entities) => entities.updateAll('notes', { values: { title: 'Pears' }, where }),
  (entities) => entities.deleteAll('notes', where),
];

describe('a search whose time is over', () => {
  it('is ended at its thousandth row, and changes nothing', async () => {
    const { entities } = await openFilled(1000);
    for (const search of searches) {
      await expect(search(entities, ids(1000))).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
    }
    expect((await entities.get('notes', 'note-0', all))?.row).toMatchObject({ title: 'Plums' });
  });

  it('is not looked at before', async () => {
    const { entities } = await openFilled(999);
    for (const search of searches) await search(entities, ids(999));
    expect(await entities.count('notes', all)).toBe(999);
  });
});

function ids(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `note-${number}`);
}

/** Opens stores that allow no time for a search, with so many notes. */
async function openFilled(count: number): Promise<ReturnType<typeof openMemoryStores>> {
  const stores = openMemoryStores(createMemoryDatabase([notes]), new ManualClock(), { waitMs: 0 });
  for (const id of ids(count)) await stores.entities.create('notes', { id, ownerId: null, title: 'Plums' });
  return stores;
}
