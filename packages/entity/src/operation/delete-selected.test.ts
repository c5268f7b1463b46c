import { anonymous, rules } from '@x/access';
import type { EntityRow, Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { all } from '@x/store/where';
import { ManualClock } from '@x/store/testing';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '../../../../tooling/postgres/test-database.ts';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const model = defineModel('rows', {
  fields: { ownerId: field.text(), level: field.integer(), locked: field.boolean(), pin: field.integer() },
});

const own = rules.where({ ownerId: rules.user.id });

const access = {
  list: own,
  get: own,
  create: false,
  update: false,
  delete: rules.where({ ownerId: rules.user.id, locked: false }),
  bulk: rules.authenticated(),
  fields: { pin: { read: false } },
} as const;

const hooked: string[] = [];

const plain = defineEntity({ model, access });
const withHooks = defineEntity({ model, access, hooks: { before: { delete: ({ id }) => void hooked.push(id) } } });

const clock = new ManualClock();
const entities = toEntityTables([model]);

async function openStores(engine: string): Promise<Stores> {
  const stores = await createStores(engine);
  onTestFinished(() => stores.close());
  await stores.migrate();
  return stores;
}

async function createStores(engine: string): Promise<Stores> {
  if (engine === 'memory') return createMemoryStores({ clock, entities });
  if (engine === 'sqlite') return createSqliteStores({ path: ':memory:', clock, entities });
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return createPostgresStores({ url: database.url, clock, entities });
}

interface Cells {
  readonly ownerId: string;
  readonly level: number;
  readonly locked: boolean;
}

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

async function addRows(stores: Stores, rows: readonly Cells[], pin = 0): Promise<void> {
  const moments = { createdAt: clock.now(), updatedAt: clock.now() };
  await stores.transaction(async (inside) => {
    for (const [index, cells] of rows.entries()) {
      const row: EntityRow = { id: idOf(index), ...cells, pin, ...moments };
      await inside.entities.create('rows', row);
    }
  });
}

async function deleteWhere(stores: Stores, where: unknown, entity = plain) {
  const caller = { ...anonymous, role: 'user', userId: 'ada' as never };
  const app = serveEntities(createEntities({ entities: [entity], stores }), caller);
  const response = await app.request('/rows/bulk', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ deleteWhere: { where } }),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

async function leftIn({ entities: rows }: Stores): Promise<readonly string[]> {
  const order = [{ column: 'id', direction: 'asc' }] as const;
  const page = await rows.list('rows', { where: all, order, after: null, limit: 2000 });
  return page.records.map(({ row }) => row.id);
}

const own3 = { ownerId: 'ada', level: 3, locked: false };

describe.each(['memory', 'sqlite', 'postgres'])('deleting by a filter on %s', (engine) => {
  it('deletes what the filter selects of the records that the caller may read and delete', async () => {
    const stores = await openStores(engine);
    await addRows(stores, [own3, { ...own3, level: 1 }, { ...own3, locked: true }, { ...own3, ownerId: 'bob' }, own3]);
    const { status, body } = await deleteWhere(stores, { level: { gt: 2 } });
    expect([status, body]).toEqual([200, { created: [], updated: [], deleted: [idOf(0), idOf(4)] }]);
    expect(await leftIn(stores)).toEqual([idOf(1), idOf(2), idOf(3)]);
  });

  it('deletes 1000 records and refuses more, whatever the number of those that the caller may not delete', async () => {
    const stores = await openStores(engine);
    const others = [own3, own3].map((cells) => ({ ...cells, ownerId: 'bob' }));
    await addRows(stores, [...Array.from({ length: 1001 }, (_, index) => ({ ...own3, level: index })), ...others]);
    const refused = await deleteWhere(stores, {});
    expect([refused.status, refused.body.error.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(refused.body.error.issues[0].path).toEqual(['deleteWhere']);
    expect(await leftIn(stores)).toHaveLength(1003);
    const { status, body } = await deleteWhere(stores, { level: { gt: 0 } });
    expect([status, body.deleted.length]).toEqual([200, 1000]);
    expect(await leftIn(stores)).toEqual([idOf(0), idOf(1001), idOf(1002)]);
  });

  it('runs the hooks of each record', async () => {
    const stores = await openStores(engine);
    await addRows(stores, [own3, { ...own3, locked: true }, own3]);
    hooked.length = 0;
    expect((await deleteWhere(stores, {}, withHooks)).body.deleted).toEqual([idOf(0), idOf(2)]);
    expect(hooked).toEqual([idOf(0), idOf(2)]);
    expect(await leftIn(stores)).toEqual([idOf(1)]);
  });

  it('refuses filters by fields that the caller may not read, and requests without a filter', async () => {
    const stores = await openStores(engine);
    await addRows(stores, [own3]);
    for (const where of [{ pin: 0 }, { pin: { lt: 5 } }, { nothing: 1 }, null, 7]) {
      const { status, body } = await deleteWhere(stores, where);
      expect([status, body.error.code]).toEqual([400, 'INVALID_QUERY']);
    }
    const { status, body } = await deleteWhere(stores, undefined);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(await leftIn(stores)).toEqual([idOf(0)]);
  });
});

it.each(['memory', 'sqlite'])('says nothing on %s that depends on what is hidden', async (engine) => {
  const cells = fc.record({
    ownerId: fc.constantFrom('ada', 'bob'),
    level: fc.integer({ min: 0, max: 3 }),
    locked: fc.boolean(),
  });
  const agrees = fc.asyncProperty(
    fc.array(cells, { maxLength: 6 }),
    fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 }),
    fc.integer({ min: 0, max: 3 }),
    async (rows, otherLevels, level) => {
      const altered = rows.map((row, index) => (row.ownerId === 'ada' ? row : { ...row, level: otherLevels[index]! }));
      const expected = rows.flatMap((row, index) =>
        row.ownerId === 'ada' && !row.locked && row.level <= level ? [idOf(index)] : [],
      );
      const texts: string[] = [];
      for (const [pin, world] of [rows, altered].entries()) {
        const stores = await openStores(engine);
        await addRows(stores, world, pin);
        const { text, body } = await deleteWhere(stores, { level: { lte: level } });
        expect(body.deleted).toEqual(expected);
        expect(await leftIn(stores)).toEqual(
          rows.map((_, index) => idOf(index)).filter((id) => !expected.includes(id)),
        );
        texts.push(text);
      }
      expect(texts[1]).toBe(texts[0]);
    },
  );
  await fc.assert(agrees, { numRuns: 30 });
});
