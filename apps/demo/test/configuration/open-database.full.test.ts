import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/open-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const clock = { now: () => new Date() };

it('creates the files of a database, and their folder, for their owner alone', async () => {
  const folder = join(makeFolder(), 'data');
  const stores = await openDatabase({ kind: 'file', path: join(folder, 'demo.db') }, { clock, entities: [] });
  await stores.migrate();
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  const files = readdirSync(folder);
  expect(files.toSorted()).toEqual(['demo.db', 'demo.db-shm', 'demo.db-wal']);
  expect([modeOf(folder), ...files.map((file) => modeOf(join(folder, file)))]).toEqual(['700', '600', '600', '600']);
  await stores.close();
});

it.each(['', '/demo.db'])(
  'names the variable of a path that cannot be a database: a folder, or a file as a folder',
  async (end) => {
    const path = end === '' ? makeFolder() : `${import.meta.filename}${end}`;
    await expect(openDatabase({ kind: 'file', path }, { clock, entities: [] })).rejects.toThrow(
      `DATABASE_URL: ${path} cannot be opened`,
    );
  },
);
