import { rules } from '@x/access';
import { describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { belongsTo, hasMany } from '../model/model.ts';
import { engines, openEngine } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const access = { list: rules.public, get: rules.public, create: false, update: false, delete: false } as const;
const folders = defineEntity({
  model: defineModel('folders', {
    fields: { name: field.text() },
    relations: { files: hasMany('files', 'folderId'), links: hasMany('links', 'folderId') },
  }),
  access,
});
const ofFolder = { folderId: field.uuid({ references: 'folders' }), isPrivate: field.boolean({ default: false }) };
const files = defineEntity({
  model: defineModel('files', { fields: ofFolder, relations: { folder: belongsTo('folderId') } }),
  access: { ...access, list: rules.where({ isPrivate: false }) },
});
const links = defineEntity({ model: defineModel('links', { fields: { folderId: ofFolder.folderId } }), access });

interface Received {
  readonly files: readonly { readonly id: string; readonly folder?: Received }[];
  readonly includeMeta?: unknown;
}

describe.each(engines)('records that others include, on %s', (engine) => {
  it('are the first 100 of each, with a word if there are more', async () => {
    const stores = await openEngine(engine, [folders.model, files.model, links.model]);
    const app = createEntities({ entities: [folders, files, links], stores });
    const system = app.asSystem();
    const addFolder = async (count: number, isPrivate = false): Promise<string> => {
      const folder = await system.create(folders, { name: 'Folder' });
      if (!folder.ok) throw new Error(folder.error.code);
      const { id } = folder.value.record;
      for (let index = 0; index < count; index += 1) await system.create(files, { folderId: id, isPrivate });
      return id;
    };
    const [full, over, none] = [await addFolder(100), await addFolder(101), await addFolder(0)];
    for (let index = 0; index < 3; index += 1) await system.create(files, { folderId: full, isPrivate: true });
    const served = serveEntities(app, null);
    const read = async (path: string): Promise<unknown> => (await served.request(path)).json();
    const got = async (id: string, include = 'files,links'): Promise<Received> =>
      (await read(`/folders/${id}?include=${include}`)) as Received;

    const [ofFull, ofOver, ofNone] = [await got(full), await got(over), await got(none)];
    expect([ofFull, ofOver, ofNone].map((folder) => folder.files.length)).toEqual([100, 100, 0]);
    expect([ofFull, ofOver, ofNone].map(({ includeMeta }) => includeMeta)).toEqual([
      undefined,
      { files: { hasMore: true } },
      undefined,
    ]);
    const { items } = (await read('/folders?include=files&select=id')) as { items: readonly Received[] };
    expect(items.filter(({ includeMeta }) => includeMeta !== undefined)).toEqual([
      { id: over, files: ofOver.files, includeMeta: { files: { hasMore: true } } },
    ]);
    const nested = await read(`/files/${ofOver.files[0]?.id}?include=folder.files`);
    expect(nested).toMatchObject({ folder: { includeMeta: { files: { hasMore: true } } } });
    const rest = (await read(`/files?where[folderId]=${over}&limit=100`)) as { items: unknown; hasNextPage: boolean };
    expect([rest.items, rest.hasNextPage]).toEqual([ofOver.files, true]);
  });
});
