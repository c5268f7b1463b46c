import { type Rule, rules } from '@x/access';
import type { EntityValues, Stores, TransactionStores } from '@x/store';
import { all } from '@x/store/where';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import type { EntityHooks } from '../definition/entity-hooks.ts';
import type { FieldAccessMap } from '../definition/entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const model: Model = defineModel('rows', {
  fields: { ownerId: field.text(), shared: field.boolean({ default: false }), title: field.text() },
});
const id = '00000000-0000-4000-8000-000000000001';
const now = new Date('2026-01-01T00:00:00.000Z');
const clock = { now: () => now };
const entities = toEntityTables([model]);

const open = {
  memory: () => createMemoryStores({ clock, entities }),
  sqlite: () => createSqliteStores({ patience: patient, path: ':memory:', clock, entities }),
};

const own = rules.where({ ownerId: rules.user.id });
const ofRules: Readonly<Record<string, Rule>> = {
  all: rules.all(rules.authenticated(), own),
  any: rules.any(own, rules.where({ shared: true })),
};

interface Moving {
  readonly rule: Rule;
  /** The change that another user makes right after each lookup. */
  readonly move: EntityValues;
  readonly hooks?: EntityHooks;
  readonly fields?: FieldAccessMap;
}

/** Opens routes on stores in which, right after each lookup, another user changes the row. */
async function openMoving(
  stores: Stores,
  { rule, move, hooks = {}, fields = {} }: Moving,
): Promise<ReturnType<typeof serveEntities>> {
  await stores.migrate();
  onTestFinished(() => stores.close());
  await stores.entities.create('rows', {
    id,
    ownerId: 'ada',
    shared: false,
    title: 'a',
    createdAt: now,
    updatedAt: now,
  });
  const moving: Stores = {
    ...stores,
    ...toMoving(stores, move),
    transaction: (work) => stores.transaction((inside) => work({ ...inside, ...toMoving(inside, move) })),
  };
  const access = { list: rule, get: rule, create: rule, update: rule, delete: rule, fields };
  const caller = { userId: 'ada', tenantId: null, role: 'user', secondFactorAt: null };
  return serveEntities(createEntities({ entities: [defineEntity({ model, access, hooks })], stores: moving }), caller);
}

/** A transaction of Postgres shows changes that others commit. Here the change is made inside, to the same effect. */
function toMoving({ entities: rows }: TransactionStores, move: EntityValues): Pick<TransactionStores, 'entities'> {
  return {
    entities: {
      ...rows,
      async get(...wanted) {
        const found = await rows.get(...wanted);
        await rows.update('rows', id, { values: move, where: all });
        return found;
      },
    },
  };
}

const jsonBody = { 'content-type': 'application/json' };

const change = {
  method: 'PATCH',
  // A field that the caller sends back and may not choose makes a lookup necessary.
  headers: { ...jsonBody, 'if-match': '"1", "2", "3"' },
  body: JSON.stringify({ title: 'b' }),
};
const deletion = { method: 'DELETE', headers: { 'if-match': '"1", "2", "3"' } };

describe.each(['memory', 'sqlite'] as const)('a change between lookup and statement on %s', (engine) => {
  it.each(['all', 'any'])('keeps a row untouched that leaves the reach of `%s`', async (kind) => {
    for (const request of [change, deletion]) {
      const stores = open[engine]();
      const app = await openMoving(stores, { rule: ofRules[kind]!, move: { ownerId: 'eve' } });
      expect((await app.request(`/rows/${id}`, request)).status).toBe(404);
      const stored = await stores.entities.get('rows', id, all);
      expect(stored?.row).toMatchObject({ ownerId: 'eve', title: 'a' });
    }
  });

  it('keeps a field untouched whose rule the row no longer satisfies', async () => {
    const fields = { title: { write: rules.where({ shared: false }) } };
    for (const hooks of [{}, { before: { update: () => undefined } }]) {
      const stores = open[engine]();
      const app = await openMoving(stores, { rule: own, move: { shared: true }, fields, hooks });
      const response = await app.request(`/rows/${id}`, change);
      // A hook runs once, so the record is not looked up again.
      expect(response.status).toBe('before' in hooks ? 503 : 403);
      expect((await stores.entities.get('rows', id, all))?.row).toMatchObject({ title: 'a' });
    }
  });

  it('does not overwrite the new value of a field that was sent back unchanged', async () => {
    const stores = open[engine]();
    const fields = { title: { write: rules.role('nobody') } };
    const app = await openMoving(stores, { rule: own, move: { title: 'c' }, fields });
    const body = JSON.stringify({ title: 'a', shared: true });
    expect((await app.request(`/rows/${id}`, { method: 'PATCH', headers: jsonBody, body })).status).toBe(200);
    expect((await stores.entities.get('rows', id, all))?.row).toMatchObject({ title: 'c', shared: true });
  });

  it('gives up on a row that changes each time, and keeps it untouched', async () => {
    const stores = open[engine]();
    const app = await openMoving(stores, { rule: own, move: { title: 'c' } });
    const response = await app.request(`/rows/${id}`, {
      ...change,
      headers: { ...change.headers, 'if-match': '"1","2","3","4","5","6","7"' },
    });
    expect(response.status).toBe(503);
    expect((await stores.entities.get('rows', id, all))?.row).toMatchObject({ title: 'c' });
  });

  it('runs a hook once, and rolls back its writes', async () => {
    const stores = open[engine]();
    const calls: string[] = [];
    const hooks: EntityHooks = {
      before: {
        update: () => void calls.push('before'),
        delete: () => void calls.push('before'),
      },
      afterCommit: { update: () => void calls.push('committed') },
    };
    const app = await openMoving(stores, { rule: own, move: { title: 'c' }, hooks });
    const headers = { ...change.headers, 'if-match': '"1","2","3","4"' };
    expect((await app.request(`/rows/${id}`, { ...change, headers })).status).toBe(503);
    expect((await app.request(`/rows/${id}`, { ...deletion, headers })).status).toBe(503);
    expect(calls).toEqual(['before', 'before']);
    expect(await stores.entities.get('rows', id, all)).toMatchObject({ version: 1, row: { title: 'a' } });
  });
});
