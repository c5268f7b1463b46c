import { anonymous, rules } from '@x/access';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { describe, expect, it } from 'vitest';
import {
  belongsTo,
  createEntities,
  defineEntity,
  defineModel,
  type Entities,
  field,
  hasMany,
  toEntityTables,
} from '../index.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const access = { list: rules.public, get: rules.public, create: false, update: false, delete: false } as const;
const text = field.text({ maxLength: 10_000 });

const folderModel = defineModel('folders', {
  fields: { title: text, body: text },
  relations: { files: hasMany('files', 'folderId') },
});
const fileModel = defineModel('files', {
  fields: { folderId: field.uuid({ references: 'folders' }), body: text },
  relations: { folder: belongsTo('folderId') },
});
/** Large enough for two bodies of 2,000 characters. */
const maxPageBytes = 5000;
const folders = defineEntity({ model: folderModel, access, maxPageBytes });
const files = defineEntity({ model: fileModel, access, maxPageBytes });
const tables = toEntityTables([folderModel, fileModel]);

describe.each(['memory', 'sqlite'] as const)('a page in %s', (engine) => {
  async function open(): Promise<Entities> {
    const stores =
      engine === 'memory'
        ? createMemoryStores({ entities: tables })
        : createSqliteStores({ patience: patient, path: ':memory:', entities: tables });
    await stores.migrate();
    return createEntities({ entities: [folders, files], stores });
  }

  async function addFolder(
    entities: Entities,
    bodyLength: number,
    fileLengths: readonly number[] = [],
  ): Promise<string> {
    const api = entities.asSystem();
    const folder = await api.create(folders, { title: 'Folder', body: 'é'.repeat(bodyLength) });
    if (!folder.ok) throw new Error(folder.error.code);
    for (const length of fileLengths) {
      const file = await api.create(files, { folderId: folder.value.record.id, body: 'x'.repeat(length) });
      if (!file.ok) throw new Error(file.error.code);
    }
    return folder.value.record.id;
  }

  /** Walks a list by its cursors, and returns the ids of each page. */
  async function walk(entities: Entities, path: string): Promise<readonly (readonly string[])[]> {
    const app = serveEntities(entities, null);
    const pages: string[][] = [];
    for (let after: string | null = ''; after !== null;) {
      const response = await app.request(`${path}${after && `&after=${after}`}`);
      expect(response.status).toBe(200);
      const page = (await response.json()) as {
        readonly items: readonly { readonly id: string }[];
        readonly nextCursor: string | null;
        readonly hasNextPage: boolean;
      };
      expect(Buffer.byteLength(JSON.stringify(page.items)) <= maxPageBytes + 2 || page.items.length === 1).toBe(true);
      expect(page.hasNextPage).toBe(page.nextCursor !== null);
      pages.push(page.items.map(({ id }) => id));
      after = page.nextCursor;
    }
    return pages;
  }

  it('ends before its records are larger than it may be, and the cursor continues there', async () => {
    const entities = await open();
    // In UTF-8, each of these characters takes two bytes.
    for (const length of [1000, 1000, 100, 1000, 4000, 10, 10]) await addFolder(entities, length);
    const pages = await walk(entities, '/folders?limit=100&orderBy=createdAt');
    expect(pages.map(({ length }) => length).reduce((sum, length) => sum + length)).toBe(7);
    expect(new Set(pages.flat()).size).toBe(7);
    expect(pages.length).toBeGreaterThan(2);
  });

  it('counts the records that it includes, each time that it includes them', async () => {
    const entities = await open();
    const ids = [await addFolder(entities, 10, [2000, 2000]), await addFolder(entities, 10, [2000, 10, 10])];
    ids.push(await addFolder(entities, 10), await addFolder(entities, 10, [3000]));
    const pages = await walk(entities, '/folders?limit=100&include=files');
    expect(pages.flat()).toEqual(ids.toSorted());
    expect(pages.length).toBeGreaterThan(2);
    await addFolder(entities, 1200, [10, 10, 10, 10]);
    const single = await walk(entities, '/files?limit=100&include=folder');
    expect(new Set(single.flat()).size).toBe(10);
    expect(single.length).toBeGreaterThan(4);
  });

  it('refuses a record that is too large with all that it includes, alone and in a list', async () => {
    const entities = await open();
    const id = await addFolder(entities, 10, [3000, 3000]);
    const app = serveEntities(entities, null);
    for (const path of [
      `/folders/${id}?include=files`,
      '/folders?include=files',
      `/folders/${id}?include=files.folder`,
    ]) {
      const response = await app.request(path);
      expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'QUERY_TOO_EXPENSIVE' } }]);
    }
    const alone = await app.request(`/folders/${id}`);
    expect(alone.status).toBe(200);
  });

  it('has one record even if that is larger than a page', async () => {
    const entities = await open();
    for (let count = 0; count < 3; count += 1) await addFolder(entities, 9000);
    expect((await walk(entities, '/folders?limit=2')).map(({ length }) => length)).toEqual([1, 1, 1]);
    const listed = await entities.as(anonymous).list(folders, { limit: 2 });
    expect(listed).toMatchObject({ ok: true, value: { items: [{ title: 'Folder' }], hasNextPage: true } });
  });
});
