import { rules } from '@x/access';
import type { EntityRow, Stores } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { hasMany } from '../model/model.ts';
import { engines, openEngine } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const hidden = { create: false, update: false, delete: false } as const;
const access = { list: rules.public, get: rules.public, ...hidden } as const;
const shown = { ...access, list: rules.where({ isHidden: false }) } as const;
const isHidden = field.boolean({ default: false });

const items = defineEntity({
  model: defineModel('items', {
    fields: { name: field.text() },
    relations: {
      tags: hasMany('tags', { through: 'item-tags' }),
      secrets: hasMany('tags', { through: 'item-secrets' }),
      boxes: hasMany('boxes', { through: 'item-boxes' }),
    },
  }),
  access,
  maxPageBytes: 50_000,
});
const tags = defineEntity({
  model: defineModel('tags', {
    fields: { name: field.text(), isHidden },
    relations: { items: hasMany('items', { through: 'item-tags' }) },
  }),
  access: shown,
  maxPageBytes: 50_000,
});
const itemTags = defineEntity({
  model: defineModel('item-tags', {
    fields: {
      itemId: field.uuid({ references: 'items' }),
      tagId: field.uuid({ references: 'tags' }),
      isHidden,
      isVague: field.boolean({ default: false }),
    },
  }),
  access: { ...shown, fields: { tagId: { read: rules.where({ isVague: false }) } } },
});
const boxes = defineEntity({
  model: defineModel('boxes', { fields: { name: field.text() } }),
  access: { ...hidden, list: false, get: false },
});
const joinOf = (name: string, other: string) =>
  defineModel(name, {
    fields: { itemId: field.uuid({ references: 'items' }), otherId: field.uuid({ references: other }) },
  });
const itemSecrets = defineEntity({
  model: joinOf('item-secrets', 'tags'),
  access: { ...hidden, list: false, get: false },
});
const itemBoxes = defineEntity({ model: joinOf('item-boxes', 'boxes'), access });
const entities = [items, tags, itemTags, boxes, itemSecrets, itemBoxes];

const now = new Date('2026-01-01T00:00:00.000Z');
const moments = { createdAt: now, updatedAt: now };
const idOf = (kind: number, at: number): string => `00000000-0000-4000-8000-${kind}${String(at).padStart(11, '0')}`;
const itemId = (at: number): string => idOf(1, at);
const tagId = (at: number): string => idOf(2, at);

interface Received {
  readonly id: string;
  readonly tags: readonly { readonly id: string; readonly items?: readonly { readonly id: string }[] }[];
  readonly includeMeta?: unknown;
}

describe.each(engines)('records that those of another entity join, on %s', (engine) => {
  async function open(): Promise<Store> {
    const stores = await openEngine(
      engine,
      entities.map(({ model }) => model),
    );
    return new Store(stores, serveEntities(createEntities({ entities, stores }), null));
  }

  it('are included from both sides, in one record and in each of a list', async () => {
    const store = await open();
    await store.fill({ items: 3, tags: 3 });
    await store.join(0, 0);
    await store.join(0, 1);
    await store.join(1, 1);
    expect(await store.tagsOf(0)).toEqual([tagId(0), tagId(1)]);
    const { items: listed } = (await store.read('/items?include=tags&select=id')) as { items: readonly Received[] };
    expect(listed.map(({ id, tags: own }) => [id, own.map((tag) => tag.id)])).toEqual([
      [itemId(0), [tagId(0), tagId(1)]],
      [itemId(1), [tagId(1)]],
      [itemId(2), []],
    ]);
    const nested = (await store.read(`/items/${itemId(0)}?include=tags.items`)) as Received;
    expect(nested.tags.map((tag) => tag.items?.map(({ id }) => id))).toEqual([[itemId(0)], [itemId(0), itemId(1)]]);
    expect(nested.tags[0]).toMatchObject({ name: 'Tag', isHidden: false });
  });

  it('are shown once, however many join them', async () => {
    const store = await open();
    await store.fill({ items: 1, tags: 2 });
    for (const tag of [1, 0, 1, 1]) await store.join(0, tag);
    expect(await store.tagsOf(0)).toEqual([tagId(1), tagId(0)]);
  });

  it('leave out what the caller may not read: records, those that join them, and their references', async () => {
    const store = await open();
    await store.fill({ items: 1, tags: 2, hiddenTags: 1 });
    await store.join(0, 0, { isHidden: true });
    await store.join(0, 0, { isVague: true });
    await store.join(0, 2);
    expect(await store.read(`/items/${itemId(0)}?include=tags`)).toEqual(expect.objectContaining({ tags: [] }));
    await store.join(0, 1);
    expect(await store.tagsOf(0)).toEqual([tagId(1)]);
  });

  it('are the first 100, with a word if there are more, and none of those that the caller may not read', async () => {
    const store = await open();
    await store.fill({ items: 2, tags: 101, hiddenTags: 1 });
    for (let tag = 0; tag < 100; tag += 1) {
      await store.join(0, tag);
      await store.join(1, tag);
    }
    await store.join(0, 101);
    await store.join(0, 100, { isHidden: true });
    await store.join(0, 100, { isVague: true });
    await store.join(1, 100);
    const { items: listed } = (await store.read('/items?include=tags&select=id')) as { items: readonly Received[] };
    const first = Array.from({ length: 100 }, (_, at) => tagId(at));
    expect(listed.map(({ tags: own }) => own.map(({ id }) => id))).toEqual([first, first]);
    expect(listed.map(({ includeMeta }) => includeMeta)).toEqual([undefined, { tags: { hasMore: true } }]);
  });

  it('count for the size of a page, which ends before a record that lacks some', async () => {
    const store = await open();
    await store.fill({ items: 6, tags: 6, nameLength: 9000 });
    for (let item = 0; item < 6; item += 1)
      for (let tag = 0; tag < 3; tag += 1) await store.join(item, item < 3 ? tag : 5 - tag);
    const pages: (readonly Received[])[] = [];
    for (let after = ''; ;) {
      const page = (await store.read(`/items?include=tags&select=id${after}`)) as {
        readonly items: readonly Received[];
        readonly nextCursor: string | null;
      };
      pages.push(page.items);
      if (page.nextCursor === null) break;
      after = `&after=${page.nextCursor}`;
    }
    expect(pages.flat().map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5].map(itemId));
    expect(pages.flat().map(({ tags: own }) => own.length)).toEqual([3, 3, 3, 3, 3, 3]);
    expect(pages.length).toBeGreaterThan(2);
  });

  it('belong to an unknown relation where callers can read neither them nor what joins them', async () => {
    const store = await open();
    await store.fill({ items: 1, tags: 1 });
    for (const name of ['secrets', 'boxes', 'nothing', 'tags.secrets']) {
      const { error } = (await store.read(`/items?include=${name}`)) as { error: { code: string; issues: unknown } };
      expect([name, error.code]).toEqual([name, 'INVALID_QUERY']);
    }
    const { error } = (await store.read('/items?where[tags.name]=Tag')) as { error: { code: string } };
    expect(error.code).toBe('INVALID_QUERY');
  });
});

type App = ReturnType<typeof serveEntities>;

/** Rows in a store, and what a caller who is nobody reads of them. */
class Store {
  readonly #stores: Stores;
  readonly #app: App;
  #joins = 0;

  constructor(stores: Stores, app: App) {
    this.#stores = stores;
    this.#app = app;
  }

  /** The hidden tags come after the others. */
  async fill(counts: {
    readonly items: number;
    readonly tags: number;
    readonly hiddenTags?: number;
    readonly nameLength?: number;
  }): Promise<void> {
    const name = 'x'.repeat(counts.nameLength ?? 0) || 'Tag';
    for (let at = 0; at < counts.items; at += 1) await this.#create('items', { id: itemId(at), name: 'Item' });
    for (let at = 0; at < counts.tags + (counts.hiddenTags ?? 0); at += 1) {
      await this.#create('tags', { id: tagId(at), name, isHidden: at >= counts.tags });
    }
  }

  /** Joins an item with a tag; the ids of what joins them are in this order. */
  async join(item: number, tag: number, flags: Partial<Record<'isHidden' | 'isVague', boolean>> = {}): Promise<void> {
    this.#joins += 1;
    const row = { id: idOf(3, this.#joins), itemId: itemId(item), tagId: tagId(tag) };
    await this.#create('item-tags', { ...row, isHidden: false, isVague: false, ...flags });
  }

  async read(path: string): Promise<unknown> {
    return (await this.#app.request(path)).json();
  }

  async tagsOf(item: number): Promise<readonly string[]> {
    const record = (await this.read(`/items/${itemId(item)}?include=tags`)) as Received;
    return record.tags.map(({ id }) => id);
  }

  async #create(entity: string, row: EntityRow): Promise<void> {
    await this.#stores.entities.create(entity, { ...row, ...moments });
  }
}
