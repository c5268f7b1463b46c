import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toUserId } from '@x/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, type Database, newRelease } from './databases.ts';
import { ada, fill, note, serve } from './sample-app.ts';

// Databases as releases have written them. `NEW_RELEASE=0.1.0 npm test -- tests/upgrades` writes those of this one.

const folder = join(import.meta.dirname, 'releases');
const engines = ['sqlite', 'postgres'] as const;

async function openDatabase(engine: (typeof engines)[number]): Promise<Database> {
  const database = await createDatabase[engine]();
  onTestFinished(async () => {
    await database.stores.close();
    await database.drop();
  });
  return database;
}

it.each(newRelease === undefined ? [] : engines)(
  'writes a database of this release on %s, with rows in every table',
  async (engine) => {
    const database = await openDatabase(engine);
    await database.startDump();
    await database.stores.migrate();
    await fill(database.stores);
    const rows = Object.entries(await database.readRows());
    expect(rows.filter(([, each]) => each.length === 0)).toEqual([]);
    const place = join(folder, newRelease ?? '');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `${engine}.sql`), await database.dump());
  },
);

describe.each(readdirSync(folder))('a database of release %s', (release) => {
  it.each(engines)('keeps its rows on %s, and is served', async (engine) => {
    const database = await openDatabase(engine);
    await database.load(readFileSync(join(folder, release, `${engine}.sql`), 'utf8'));
    const before = await database.readRows();
    await database.stores.migrate();
    const after = await database.readRows();
    for (const [table, rows] of Object.entries(before)) {
      const kept = rows.map((row) => expect.objectContaining(row));
      expect(after[table], table).toEqual(expect.arrayContaining(kept));
    }

    const { server, client } = await serve(database.stores);
    onTestFinished(() => server.close());
    const browser = client();
    const { status, body } = await browser.post('/api/auth/signin', ada);
    expect(status).toBe(200);
    const notes = await browser.get('/api/notes?include=folder');
    expect(notes.body.items).toMatchObject([{ ...note, isDone: false, folder: { name: 'All notes' } }]);
    const created = await browser.post('/api/notes', { ...note, title: 'New', day: '2026-02-01' });
    expect(created.status).toBe(201);
    expect((await browser.post('/api/notes', note)).status).toBe(409);
    const userId = toUserId(body.user.id);
    const [path] = await database.stores.roleAssignments.readPaths(userId, [{ type: 'project', id: 'p' }]);
    expect(path?.roles).toMatchObject(['viewer']);
  });
});
