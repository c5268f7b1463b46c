import type { EntityColumn, EntityTable, Stores } from '@x/store';
import { eq } from '@x/store/where';
import { expect, vi } from 'vitest';
import { FollowedFeed, maxDelayMs } from '../followed-feed.ts';
import type { VersionTest } from './describe-entity-versions.ts';

const title: EntityColumn = { name: 'title', type: 'text', nullable: true };
const rank: EntityColumn = { name: 'rank', type: 'integer', nullable: true };
const headline: EntityColumn = { ...title, name: 'headline', renamedFrom: 'title' };

function toNotes(...columns: readonly EntityColumn[]): EntityTable {
  return { name: 'notes', columns, indexes: [] };
}

/** Describes how the feed of changes follows the tables of entities. */
export function describeEvolvingChanges(it: VersionTest): void {
  it('have the columns that each version has', async ({ start }) => {
    await start([toNotes(title, rank)]);
    const { stores: second } = await start([toNotes(headline)], { allowContract: true });
    const { stores: third } = await start([toNotes(headline, { ...rank, name: 'size', default: 7 })]);
    await change(third, { headline: 'One', size: 3 });
    await expectLast(third, { id: 'n', headline: 'One', size: 3 });
    await expectLast(second, { id: 'n', headline: 'One' });
  });

  it('have more columns than a function takes arguments', async ({ start }) => {
    const columns = Array.from({ length: 130 }, (_, index): EntityColumn => ({ ...rank, name: `rank${index}` }));
    const { stores } = await start([toNotes(...columns)]);
    const values = Object.fromEntries(columns.map(({ name }, index) => [name, index % 3 === 0 ? null : index]));
    await change(stores, values);
    await expectLast(stores, { id: 'n', ...values });
  });

  it('are no longer recorded once stores are migrated that keep no feed', async ({ start, database }) => {
    const { stores } = await start([toNotes(title)]);
    const without = await database.open([toNotes(title)], [], false);
    await without.migrate();
    const feed = await FollowedFeed.start(stores);
    await change(stores, { title: 'One' });
    await stores.changes.append({ entity: 'end', id: '1', before: null, after: null });
    expect((await feed.next(1)).map(({ entity }) => entity)).toEqual(['end']);
  });
}

async function change(stores: Stores, values: Readonly<Record<string, string | number | null>>): Promise<void> {
  const existing = await stores.entities.get('notes', 'n', eq('id', 'n'));
  if (existing) await stores.entities.update('notes', 'n', { where: eq('id', 'n'), values });
  else await stores.entities.create('notes', { id: 'n', ...values });
}

/** Expects the row as it was after the last change of the feed, which tells of it once no older transaction is open. */
async function expectLast(stores: Stores, row: object): Promise<void> {
  await vi.waitFor(
    async () => {
      const page = await stores.changes.read('0.0', 1000);
      expect(page?.changes.at(-1)?.after).toEqual(row);
    },
    { timeout: maxDelayMs },
  );
}
