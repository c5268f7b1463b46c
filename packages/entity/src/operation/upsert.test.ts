import { anonymous, rules, type RuleCaller } from '@x/access';
import type { Stores } from '@x/store';
import { all } from '@x/store/where';
import { beforeEach, describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import type { AccessMap } from '../definition/entity.ts';
import { endpointsOf } from '../http/endpoints.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import { engines, openEngine, openProcesses } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';

const shelfModel = defineModel('shelves', { fields: { name: field.text() } });

const model = defineModel('books', {
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    shelfId: field.uuid({ references: 'shelves', nullable: true }),
    code: field.text({ unique: true, trim: true, nullable: true }),
    number: field.integer({ nullable: true }),
    pin: field.text({ unique: true, nullable: true }),
    title: field.text({ maxLength: 10 }),
    locked: field.boolean({ default: false }),
    serial: field.uuid({ unique: true, generated: true }),
  },
  unique: [['ownerId', 'number']],
});

const own = rules.where({ ownerId: rules.user.id });

const hooked: string[] = [];

const books = defineEntity({
  model,
  access: {
    list: own,
    get: own,
    create: rules.any(rules.where({ locked: false }), rules.role('admin')),
    update: rules.where({ ownerId: rules.user.id, locked: false }),
    delete: own,
    fields: { pin: { read: rules.where({ locked: true }) } },
  },
  hooks: {
    before: {
      create: ({ title }) => void hooked.push(`create ${title}`),
      update: ({ changes }) => void hooked.push(`update ${String(changes['title'])}`),
    },
  },
});

const shelves = defineEntity({
  model: shelfModel,
  access: { list: rules.public, get: rules.public, create: false, update: false, delete: false },
});

const models = [shelfModel, model];

function sendAs(stores: Stores, userId: string | null, role = 'user') {
  const caller: RuleCaller = { ...anonymous, role, userId: userId as never };
  const app = serveEntities(createEntities({ entities: [books, shelves], stores }), caller);
  return async (by: unknown, record: unknown, conditions: Readonly<Record<string, string>> = {}) => {
    const response = await app.request('/books/upsert', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...conditions },
      body: JSON.stringify({ by, record }),
    });
    return { status: response.status, body: JSON.parse(await response.text()), headers: response.headers };
  };
}

beforeEach(() => {
  hooked.length = 0;
});

describe.each(engines)('an upsert on %s', (engine) => {
  it('creates a record, and then changes it by the same key', async () => {
    const stores = await openEngine(engine, models);
    const send = sendAs(stores, 'ada');
    const created = await send('code', { code: ' a ', title: 'First' });
    expect([created.status, created.body.code, created.headers.get('etag')]).toEqual([201, 'a', '"1"']);
    expect(created.headers.get('location')).toBe(`/books/${created.body.id}`);
    const changed = await send(['code'], { code: 'a', title: 'Second' });
    expect([changed.status, changed.headers.get('etag'), changed.headers.get('location')]).toEqual([200, '"2"', null]);
    expect(changed.body).toEqual({ ...created.body, title: 'Second', updatedAt: changed.body.updatedAt });
    expect(hooked).toEqual(['create First', 'update Second']);
    const conditional = await send('code', { code: 'a', title: 'Third' }, { 'if-match': '"2"' });
    expect([conditional.status, conditional.body.error.issues[0].path]).toEqual([400, ['If-Match']]);
    expect(await stores.entities.count('books', all)).toBe(1);
  });

  it('looks up by several fields, of which the server sets one', async () => {
    const stores = await openEngine(engine, models);
    const [ada, bob] = [sendAs(stores, 'ada'), sendAs(stores, 'bob')];
    expect((await ada(['number', 'ownerId'], { number: 1, title: 'a' })).status).toBe(201);
    expect((await bob(['ownerId', 'number'], { number: 1, title: 'b' })).status).toBe(201);
    expect((await ada(['ownerId', 'number'], { number: 1, title: 'c' })).body.title).toBe('c');
    expect(await stores.entities.count('books', all)).toBe(2);
  });

  it('is refused as a change or a creation is, and says nothing else of records that are hidden', async () => {
    const stores = await openEngine(engine, models);
    const [ada, bob, admin] = [sendAs(stores, 'ada'), sendAs(stores, 'bob'), sendAs(stores, 'eve', 'admin')];
    await ada('code', { code: 'a', title: 'a' });
    const hidden = await bob('code', { code: 'a', title: 'b' });
    expect([hidden.status, hidden.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(hidden.body.error.issues[0].path).toEqual(['record', 'code']);
    expect((await bob('code', { code: 'c', title: 'c', locked: true })).body.error.code).toBe('FORBIDDEN');
    expect((await admin('code', { code: 'd', title: 'd', locked: true })).status).toBe(201);
    expect((await admin('code', { code: 'd', title: 'e' })).body.error.code).toBe('NOT_FOUND');
    const shelfId = '00000000-0000-4000-8000-000000000001';
    expect((await ada('code', { code: 'a', title: 'f', shelfId })).body.error.code).toBe('CONFLICT');
    expect((await sendAs(stores, null)('code', { code: 'f', title: 'f' })).body.error.code).toBe('UNAUTHENTICATED');
    expect(await stores.entities.count('books', all)).toBe(2);
  });

  it('refuses fields that are no unique key that the caller may read on every record, and keys without a value', async () => {
    const stores = await openEngine(engine, models);
    const send = sendAs(stores, 'ada');
    const record = { code: 'a', number: 1, pin: 'p', title: 'a' };
    for (const by of [
      'title',
      'pin',
      'serial',
      'id',
      'nothing',
      '__proto__',
      '',
      [],
      ['code', 'code'],
      ['ownerId'],
      7,
    ]) {
      const { status, body } = await send(by, record);
      expect([by, status, body.error.code]).toEqual([by, 400, 'VALIDATION_FAILED']);
      expect(body.error.issues[0].path).toEqual(['by']);
    }
    for (const [input, path] of [
      [{ title: 'a' }, ['record', 'code']],
      [{ code: null, title: 'a' }, ['record', 'code']],
      [{ code: 'a' }, ['record', 'title']],
      [{ code: 'a', title: 'eleven chars' }, ['record', 'title']],
      [{ code: 'a', title: 'a', extra: 1 }, ['record', 'extra']],
      [[], ['record']],
      [undefined, ['record']],
    ] as const) {
      const { status, body } = await send('code', input);
      expect([status, body.error.code, body.error.issues[0].path]).toEqual([400, 'VALIDATION_FAILED', path]);
    }
    expect(await stores.entities.count('books', all)).toBe(0);
  });

  it('creates one record and changes it whenever else it is sent, while others delete it', async () => {
    const processes = await openProcesses(engine, models, 3);
    const [first] = processes;
    if (!first) throw new TypeError('No stores were opened.');
    const sends = processes.map((stores) => sendAs(stores, 'ada'));
    const upserts = (count: number) =>
      Array.from({ length: count }, (_, index) => sends[index % 3]!('code', { code: 'a', title: `${index}` }));
    const statuses = (await Promise.all(upserts(24))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => b - a)).toEqual([201, ...Array.from({ length: 23 }, () => 200)]);
    const { records } = await first.entities.list('books', {
      where: all,
      order: [{ column: 'id', direction: 'asc' }],
      after: null,
      limit: 2,
    });
    expect(records.map(({ version }) => version)).toEqual([24]);
    const mixed = await Promise.all([
      ...upserts(12),
      ...processes.map((stores) => stores.entities.deleteAll('books', all)),
    ]);
    const mixedStatuses = mixed.flatMap((each) => (typeof each === 'number' ? [] : [each.status]));
    expect(mixedStatuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
    expect(await first.entities.count('books', all)).toBeLessThan(2);
  });
});

it('exists where records can be created and changed and have a unique key, and nowhere else', () => {
  const everybody = { list: rules.public, get: rules.public, create: rules.public, update: rules.public } as const;
  const grouped = defineModel('grouped', { fields: { a: field.integer(), b: field.integer() }, unique: [['a', 'b']] });
  const hasUpsert = (given: Model, access: Partial<AccessMap> = {}): boolean =>
    endpointsOf(defineEntity({ model: given, access: { ...everybody, delete: false, ...access } })).some(
      ({ name, path, method }) => name === 'upsert' && path === `/${given.name}/upsert` && method === 'POST',
    );
  expect([hasUpsert(model), hasUpsert(grouped), hasUpsert(shelfModel)]).toEqual([true, true, false]);
  expect([hasUpsert(model, { create: false }), hasUpsert(model, { update: false })]).toEqual([false, false]);
});

it('asks for nothing but what the creation or the change needs that it turns out to be', async () => {
  const stores = await openEngine('memory', models);
  const access = { list: rules.public, get: rules.public, delete: false } as const;
  const [maker, editor] = [rules.role('maker'), rules.role('editor')];
  const strict = defineEntity({ model, access: { ...access, create: maker, update: editor } });
  const statusesOf = async (role: string): Promise<readonly number[]> => {
    const app = createEntities({ entities: [strict, shelves], stores });
    const served = serveEntities(app, { ...anonymous, role, userId: 'ada' as never });
    const statuses: number[] = [];
    for (const code of ['a', role]) {
      const body = JSON.stringify({ by: 'code', record: { code, title: 'x' } });
      const headers = { 'content-type': 'application/json' };
      statuses.push((await served.request('/books/upsert', { method: 'POST', headers, body })).status);
    }
    return statuses;
  };
  expect(await statusesOf('maker')).toEqual([201, 201]);
  expect(await statusesOf('editor')).toEqual([200, 403]);
  expect(await statusesOf('maker')).toEqual([403, 403]);
  expect(await statusesOf('user')).toEqual([403, 403]);
});
