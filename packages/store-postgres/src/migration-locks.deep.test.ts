import type { EntityColumn, EntityTable, Stores } from '@x/store';
import { all } from '@x/store/where';
import { systemClock } from '@x/store';
import { createPostgresDatabase } from '@x/test-support/database';
import { startStopwatch } from '@x/test-support/measure';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';

const rank: EntityColumn = { name: 'rank', type: 'integer', nullable: true };
const title: EntityColumn = { name: 'title', type: 'text', nullable: true };
const label: EntityColumn = { name: 'label', type: 'text', nullable: false, default: 'new' };
const toTitle = (old: unknown): string => `title ${String(Number(old))}`;

function toNotes(columns: readonly EntityColumn[], indexes: EntityTable['indexes'] = []): readonly EntityTable[] {
  return [{ name: 'notes', columns, indexes }];
}

const count = 1_000_000;

it(
  'no step of a migration makes a write wait for more than a second, with a million rows',
  { timeout: 1_800_000 },
  async () => {
    const database = await createPostgresDatabase();
    const opened: Stores[] = [];
    onTestFinished(async () => {
      await Promise.all(opened.map((stores) => stores.close()));
      await database.drop();
    });
    const open = (entities: readonly EntityTable[]): Stores => {
      const stores = createPostgresStores({ url: database.url, clock: systemClock, entities });
      opened.push(stores);
      return stores;
    };
    const old = open(toNotes([rank, { ...title, type: 'integer' }]));
    await old.migrate();
    for (let from = 0; from < count; from += 50_000) {
      await old.transaction(
        (tx) => tx.sql`INSERT INTO app_notes (id, _version, rank, title)
        SELECT 'n' || i, 1, i, i FROM generate_series(${from}::int, ${from + 49_999}::int) AS i`,
      );
    }
    const newer = open(
      toNotes([{ ...rank, type: 'number' }, { ...title, convert: toTitle }, label], [['rank', 'title'], ['label']]),
    );
    let isOver = false;
    const migration = newer.migrate({ allowContract: true }).finally(() => {
      isOver = true;
    });
    let longestMs = 0;
    for (let at = 0; !isOver; at += 1) {
      const stopwatch = startStopwatch();
      // Only the rank is written, as converted columns may not be written any more.
      await old.entities.update('notes', `n${(at * 7919) % count}`, { values: { rank: at }, where: all });
      longestMs = Math.max(longestMs, stopwatch());
    }
    await migration;
    expect(longestMs).toBeLessThan(1000);
    expect((await newer.entities.get('notes', 'n17', all))?.row).toMatchObject({ title: 'title 17', label: 'new' });
  },
);
