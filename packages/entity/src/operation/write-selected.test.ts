import { anonymous, rules } from '@x/access';
import type { EntityRow, Stores } from '@x/store';
import { all } from '@x/store/where';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { engines, openEngine, openProcesses } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const model = defineModel('rows', {
  fields: { ownerId: field.text(), level: field.integer(), locked: field.boolean(), pin: field.integer() },
});

const own = rules.where({ ownerId: rules.user.id });

const access = {
  list: own,
  get: own,
  create: false,
  update: rules.where({ ownerId: rules.user.id, locked: false }),
  delete: rules.where({ ownerId: rules.user.id, locked: false }),
  bulk: rules.authenticated(),
  fields: { pin: { read: false } },
} as const;

const hooked: string[] = [];

const plain = defineEntity({ model, access });
const withHooks = defineEntity({
  model,
  access,
  hooks: {
    before: { update: ({ record }) => void hooked.push(record.id), delete: ({ id }) => void hooked.push(id) },
  },
});

interface Cells {
  readonly ownerId: string;
  readonly level: number;
  readonly locked: boolean;
}

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

async function addRows(stores: Stores, rows: readonly Cells[], pin = 0): Promise<void> {
  const moments = { createdAt: stores.clock.now(), updatedAt: stores.clock.now() };
  await stores.transaction(async (inside) => {
    for (const [index, cells] of rows.entries()) {
      const row: EntityRow = { id: idOf(index), ...cells, pin, ...moments };
      await inside.entities.create('rows', row);
    }
  });
}

const deleteWhere = (stores: Stores, where: unknown, entity = plain) =>
  send(stores, { deleteWhere: { where } }, entity);

async function send(stores: Stores, writes: object, entity = plain) {
  const caller = { ...anonymous, role: 'user', userId: 'ada' as never };
  const app = serveEntities(createEntities({ entities: [entity], stores }), caller);
  const response = await app.request('/rows/bulk', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(writes),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

async function rowsIn({ entities: rows }: Stores): Promise<readonly EntityRow[]> {
  const order = [{ column: 'id', direction: 'asc' }] as const;
  const page = await rows.list('rows', { where: all, order, after: null, limit: 2000 });
  return page.records.map(({ row }) => row);
}

const leftIn = async (stores: Stores): Promise<readonly string[]> => (await rowsIn(stores)).map(({ id }) => id);

const levelsIn = async (stores: Stores) => (await rowsIn(stores)).map(({ level }) => level);

const own3 = { ownerId: 'ada', level: 3, locked: false };

describe.each(engines)('deleting by a filter on %s', (engine) => {
  it('deletes those selected records that the caller may read and delete', async () => {
    const stores = await openEngine(engine, [model]);
    await addRows(stores, [own3, { ...own3, level: 1 }, { ...own3, locked: true }, { ...own3, ownerId: 'bob' }, own3]);
    const { status, body } = await deleteWhere(stores, { level: { gt: 2 } });
    expect([status, body]).toEqual([200, { created: [], updated: [], deleted: [idOf(0), idOf(4)] }]);
    expect(await leftIn(stores)).toEqual([idOf(1), idOf(2), idOf(3)]);
  });

  it('deletes 1000 records and refuses more, not counting those that the caller may not delete', async () => {
    const stores = await openEngine(engine, [model]);
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
    const stores = await openEngine(engine, [model]);
    await addRows(stores, [own3, { ...own3, locked: true }, own3]);
    hooked.length = 0;
    expect((await deleteWhere(stores, {}, withHooks)).body.deleted).toEqual([idOf(0), idOf(2)]);
    expect(hooked).toEqual([idOf(0), idOf(2)]);
    expect(await leftIn(stores)).toEqual([idOf(1)]);
  });

  it('refuses filters by fields that the caller may not read, and requests without a filter', async () => {
    const stores = await openEngine(engine, [model]);
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

describe.each(engines)('changing by a filter on %s', (engine) => {
  it('changes those selected records that the caller may read and change', async () => {
    const stores = await openEngine(engine, [model]);
    await addRows(stores, [own3, { ...own3, level: 1 }, { ...own3, locked: true }, { ...own3, ownerId: 'bob' }, own3]);
    const { status, body } = await send(stores, { updateWhere: { where: { level: { gt: 2 } }, set: { level: 2 } } });
    const changedTo2 = (index: number) => {
      const moments = { createdAt: expect.any(String) as string, updatedAt: expect.any(String) as string };
      return { id: idOf(index), ...own3, level: 2, ...moments };
    };
    expect([status, body]).toEqual([200, { created: [], updated: [changedTo2(0), changedTo2(4)], deleted: [] }]);
    expect(await levelsIn(stores)).toEqual([2, 1, 3, 3, 2]);
    const both = {
      updateWhere: { where: { level: 1 }, set: { level: 2 } },
      deleteWhere: { where: { level: { gte: 1 } } },
      update: [{ id: idOf(0), level: 0 }],
    };
    const answer = await send(stores, both);
    expect(answer.body.updated).toMatchObject([
      { id: idOf(0), level: 0 },
      { id: idOf(1), level: 2 },
    ]);
    expect(answer.body.deleted).toEqual([idOf(0), idOf(1), idOf(4)]);
    expect(await levelsIn(stores)).toEqual([3, 3]);
  });

  it('sees the records from before the request, whatever else this writes', async () => {
    for (const entity of [plain, withHooks]) {
      const stores = await openEngine(engine, [model]);
      await addRows(stores, [own3, own3, { ...own3, level: 1 }, { ...own3, level: 2 }]);
      const { status, body } = await send(
        stores,
        {
          update: [{ id: idOf(2), level: 3 }],
          delete: [idOf(0)],
          updateWhere: { where: { level: 3 }, set: { level: 2 } },
          deleteWhere: { where: { level: { in: [2, 3] } } },
        },
        entity,
      );
      expect(status).toBe(200);
      expect(body.updated).toMatchObject([
        { id: idOf(2), level: 3 },
        { id: idOf(1), level: 2 },
      ]);
      expect(body.deleted).toEqual([idOf(0), idOf(1), idOf(3)]);
      expect(await leftIn(stores)).toEqual([idOf(2)]);
    }
  });

  it('undoes everything if the request itself takes a selected record out of reach', async () => {
    for (const entity of [plain, withHooks]) {
      const stores = await openEngine(engine, [model]);
      await addRows(stores, [own3, own3]);
      const where = { level: 3 };
      const set = { level: 5 };
      const hand = { update: [{ id: idOf(1), level: 4 }] };
      const ok = await send(stores, { ...hand, updateWhere: { where, set } }, entity);
      expect(ok.body.updated.map(({ level }: Cells) => level)).toEqual([4, 5, 5]);
      const locking = defineEntity({ model, access: { ...access, update: own }, hooks: entity.hooks });
      const lock = { update: [{ id: idOf(1), locked: true }] };
      const refused = await send(stores, { ...lock, deleteWhere: { where: { level: 5 } } }, locking);
      expect([refused.status, refused.body.error.issues[0].path]).toEqual([404, ['deleteWhere']]);
      expect(await levelsIn(stores)).toEqual([5, 5]);
    }
  });

  it('shows of each changed record what a PATCH would show: its id alone, if the caller may not read it then', async () => {
    const stores = await openEngine(engine, [model]);
    await addRows(stores, [own3, own3, { ...own3, level: 9 }]);
    const read = rules.any(rules.where({ level: 3 }), rules.role('admin'));
    const hiding = defineEntity({ model, access: { ...access, list: read, get: read, update: own } });
    const { body } = await send(stores, { updateWhere: { where: {}, set: { level: 4 } } }, hiding);
    expect(body.updated).toEqual([{ id: idOf(0) }, { id: idOf(1) }]);
    expect(await levelsIn(stores)).toEqual([4, 4, 9]);
  });

  it('changes 1000 records and refuses more', async () => {
    const stores = await openEngine(engine, [model]);
    await addRows(
      stores,
      Array.from({ length: 1001 }, (_, index) => ({ ...own3, level: index })),
    );
    const refused = await send(stores, { updateWhere: { where: {}, set: { level: 1 } } });
    expect([refused.status, refused.body.error.issues[0].path]).toEqual([400, ['updateWhere']]);
    const { body } = await send(stores, { updateWhere: { where: { level: { gt: 0 } }, set: { level: 7 } } });
    expect(body.updated).toHaveLength(1000);
    expect(new Set(await levelsIn(stores))).toEqual(new Set([0, 7]));
  });

  it('changes none if one of them refuses it, and calls the hooks of each', async () => {
    const stores = await openEngine(engine, [model]);
    await addRows(stores, [own3, own3]);
    for (const entity of [plain, withHooks]) {
      const refused = await send(stores, { updateWhere: { where: {}, set: { locked: true, level: 1 } } }, entity);
      expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
      expect(refused.body.error.issues[0].path).toEqual(['updateWhere']);
      expect(await levelsIn(stores)).toEqual([3, 3]);
    }
    hooked.length = 0;
    await send(stores, { updateWhere: { where: {}, set: { level: 4 } } }, withHooks);
    expect(hooked).toEqual([idOf(0), idOf(1)]);
    expect(await levelsIn(stores)).toEqual([4, 4]);
  });

  it('refuses filters by fields that the caller may not read, and changes that are none', async () => {
    const stores = await openEngine(engine, [model]);
    await addRows(stores, [own3]);
    const refused = [
      [{ where: { pin: 0 }, set: { level: 1 } }, 'INVALID_QUERY'],
      [{ set: { level: 1 } }, 'VALIDATION_FAILED'],
      [{ where: {} }, 'VALIDATION_FAILED'],
      [{ where: {}, set: {} }, 'VALIDATION_FAILED'],
      [{ where: {}, set: { nothing: 1 } }, 'VALIDATION_FAILED'],
      [{ where: {}, set: { level: 1 }, limit: 1 }, 'VALIDATION_FAILED'],
    ] as const;
    for (const [updateWhere, code] of refused) {
      const { status, body } = await send(stores, { updateWhere });
      expect([status, body.error.code]).toEqual([400, code]);
    }
    expect(await levelsIn(stores)).toEqual([3]);
  });

  it('writes each record once at a time while others change and delete the same ones, without a deadlock', async () => {
    const processes = await openProcesses(engine, [model], 3);
    const [stores] = processes;
    if (!stores) throw new TypeError('No stores were opened.');
    const count = 24;
    await addRows(
      stores,
      Array.from({ length: count }, () => own3),
    );
    const writes = Array.from({ length: 12 }, (_, index) => {
      const ids = Array.from({ length: count }, (_each, at) => idOf((at * 5 + index) % count));
      if (index % 3 === 0) return { updateWhere: { where: { level: { lt: 90 } }, set: { level: index } } };
      if (index % 3 === 1) return { update: ids.map((id) => ({ id, level: 100 + index })) };
      return {
        deleteWhere: { where: { id: { in: ids.slice(0, 3) } } },
        updateWhere: { where: {}, set: { level: index } },
      };
    });
    const responses = await Promise.all(writes.map((each, index) => send(processes[index % 3] ?? stores, each)));
    // A change by id of a record that was deleted meanwhile is answered with 404.
    for (const { status } of responses) expect([200, 404]).toContain(status);
    const levels = await levelsIn(stores);
    const deleted = responses.flatMap(({ body }) => body.deleted ?? []);
    expect(new Set(deleted).size).toBe(deleted.length);
    expect(levels).toHaveLength(count - deleted.length);
    expect(new Set(levels).size).toBe(1);
  });
});

it.each(['memory', 'sqlite'] as const)('says nothing on %s that depends on hidden fields', async (engine) => {
  const cells = fc.record({
    ownerId: fc.constantFrom('ada', 'bob'),
    level: fc.integer({ min: 0, max: 3 }),
    locked: fc.boolean(),
  });
  const agrees = fc.asyncProperty(
    fc.array(cells, { maxLength: 6 }),
    fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 }),
    fc.integer({ min: 0, max: 3 }),
    fc.boolean(),
    async (rows, otherLevels, level, isDeletion) => {
      const altered = rows.map((row, index) => (row.ownerId === 'ada' ? row : { ...row, level: otherLevels[index]! }));
      const expected = rows.flatMap((row, index) =>
        row.ownerId === 'ada' && !row.locked && row.level <= level ? [idOf(index)] : [],
      );
      const texts: string[] = [];
      for (const [pin, world] of [rows, altered].entries()) {
        const stores = await openEngine(engine, [model]);
        await addRows(stores, world, pin);
        const where = { level: { lte: level } };
        const { text, body } = await send(
          stores,
          isDeletion ? { deleteWhere: { where } } : { updateWhere: { where, set: { level: 9 } } },
        );
        const written = isDeletion ? body.deleted : body.updated.map(({ id }: EntityRow) => id);
        expect(written).toEqual(expected);
        const untouched = rows.map((_, index) => idOf(index)).filter((id) => !expected.includes(id));
        const left = await rowsIn(stores);
        expect(left.filter(({ level: now }) => now !== 9).map(({ id }) => id)).toEqual(untouched);
        texts.push(text);
      }
      expect(texts[1]).toBe(texts[0]);
    },
  );
  await fc.assert(agrees, { numRuns: 30 });
});
