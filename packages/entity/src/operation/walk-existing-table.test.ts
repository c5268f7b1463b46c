import { anonymous, rules } from '@x/access';
import { expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { type Field, field } from '../model/field.ts';
import type { Fields } from '../model/model.ts';
import { createLegacyShop } from '../testing/legacy-shop.ts';
import { serveEntities } from '../testing/serve-entities.ts';

type SqlEngine = 'sqlite' | 'postgres';

const sqlEngines: readonly SqlEngine[] = ['sqlite', 'postgres'];

interface Item extends Readonly<Record<string, unknown>> {
  readonly id: string;
}

interface Page {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** A table of `things` that is in the database without us, and its fields here. */
interface Things {
  readonly columns: string;
  readonly rows: readonly string[];
  readonly id: Field;
  readonly fields: Fields;
}

/** Serves the table, and returns what asks for one page, for all of them one by one, and for a new record. */
async function openThings(engine: SqlEngine, { columns, rows, id, fields }: Things) {
  const shop = await createLegacyShop(engine);
  const table = engine === 'postgres' ? `${shop.schema}.things` : 'things';
  await shop.run(`CREATE TABLE ${table} (${columns})`);
  for (const row of rows) await shop.run(`INSERT INTO ${table} VALUES ${row}`);
  const model = defineModel('things', {
    table,
    managed: false,
    id,
    columns: { createdAt: null, updatedAt: null },
    fields,
  });
  const { public: all } = rules;
  const things = defineEntity({ model, access: { list: all, get: all, create: all, update: all, delete: false } });
  const app = serveEntities(createEntities({ entities: [things], stores: await shop.open([model]) }), anonymous);
  const list = async (query: string): Promise<Page> => {
    const response = await app.request(`/things?${query}`);
    if (response.status !== 200) throw new TypeError(await response.text());
    return (await response.json()) as Page;
  };
  const walk = async (order: string): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let after = ''; ids.length < 100;) {
      const { items, nextCursor } = await list(`limit=1&orderBy=${order}${after}`);
      ids.push(...items.map(({ id: each }) => each));
      if (nextCursor === null) break;
      after = `&after=${nextCursor}`;
    }
    return ids;
  };
  const create = async (record: object): Promise<Item> => {
    const headers = { 'content-type': 'application/json' };
    return (await (
      await app.request('/things', { method: 'POST', headers, body: JSON.stringify(record) })
    ).json()) as Item;
  };
  return { list, walk, create };
}

it.each(sqlEngines)('a walk on %s visits rows whose ids no client could send', async (engine) => {
  const { walk } = await openThings(engine, {
    columns: 'id TEXT PRIMARY KEY NOT NULL, state TEXT',
    rows: [`('', 'gone')`, `('a', 'open')`, `('${'b'.repeat(700)}', 'gone')`, `('c', 'gone')`],
    id: field.text(),
    fields: { state: field.enum(['open'], { nullable: true }) },
  });
  const all = ['', 'a', 'b'.repeat(700), 'c'];
  expect(await walk('id')).toEqual(all);
  expect(await walk('state')).toEqual(['', 'b'.repeat(700), 'c', 'a']);
});

it('a walk on sqlite visits rows whose uuids are in capitals', async () => {
  const codes = ['AAAA', 'BBBB', 'CCCC'].map((start) => `${start}1111-1111-4111-8111-111111111111`);
  const { walk } = await openThings('sqlite', {
    columns: 'id TEXT PRIMARY KEY NOT NULL, code CHAR(36) NOT NULL',
    rows: codes.map((code, at) => `('r${at}', '${code}')`),
    id: field.text(),
    fields: { code: field.uuid() },
  });
  expect(await walk('code')).toEqual(['r0', 'r1', 'r2']);
});

it.each(sqlEngines)('a walk on %s visits rows whose moments are none of ours, as if they were null', async (engine) => {
  const type = engine === 'postgres' ? 'TIMESTAMPTZ' : 'DATETIME';
  const [late, early] = engine === 'postgres' ? ['infinity', '-infinity'] : ['never', 'always'];
  const { list, walk } = await openThings(engine, {
    columns: `id INTEGER PRIMARY KEY NOT NULL, at ${type}, must ${type} NOT NULL`,
    rows: [
      `(1, '${late}', '${late}')`,
      `(2, NULL, '${late}')`,
      `(3, '2026-01-01', '2026-01-01')`,
      `(4, '${early}', '${early}')`,
      `(5, '2025-01-01', '2025-01-01')`,
    ],
    id: field.integer(),
    fields: { at: field.timestamp({ nullable: true }), must: field.timestamp() },
  });
  for (const name of ['at', 'must']) {
    expect(await walk(name)).toEqual(['5', '3', '1', '2', '4']);
    expect(await walk(`${name}:desc,id`)).toEqual(['1', '2', '4', '3', '5']);
  }
  const isNull = await list('where[at][isNull]=true');
  expect(isNull.items.map(({ id, at }) => [id, at])).toEqual(['1', '2', '4'].map((id) => [id, null]));
});

it.each(sqlEngines)('%s keeps every millisecond of late moments', async (engine) => {
  const type = engine === 'postgres' ? 'TIMESTAMPTZ' : 'DATETIME';
  const { create, list, walk } = await openThings(engine, {
    columns: `id INTEGER PRIMARY KEY NOT NULL, at ${type}`,
    rows: ["(8, '0001-01-01 00:00:00+00:00')", "(9, '9999-01-01 00:00:00+00:00')"],
    id: field.integer(),
    fields: { at: field.timestamp({ nullable: true }) },
  });
  for (const [id, at] of [
    ['1', '9999-12-31T23:59:59.001Z'],
    ['2', '9999-12-31T23:59:59.999Z'],
    ['3', '1969-12-31T23:59:59.999Z'],
  ]) {
    expect(await create({ id, at })).toEqual({ id, at });
    expect((await list(`where[at]=${at}`)).items).toEqual([{ id, at }]);
  }
  expect(await walk('at')).toEqual(['8', '3', '9', '1', '2']);
});

it.each(sqlEngines)('a page on %s has as many rows whatever is hidden in them', async (engine) => {
  const { list } = await openThings(engine, {
    columns: 'id TEXT PRIMARY KEY NOT NULL, secret TEXT NOT NULL',
    rows: Array.from({ length: 12 }, (_, at) => `('r${at}', '${'s'.repeat(100_000)}')`),
    id: field.text(),
    fields: { secret: field.text({ hidden: true, default: '' }) },
  });
  expect((await list('')).items).toHaveLength(12);
});
