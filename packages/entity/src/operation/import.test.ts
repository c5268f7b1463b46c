import { anonymous, createAccessContextFactory, defineAccess, rules, type RuleCaller } from '@x/access';
import { CodedError } from '@x/errors';
import { type Stores, toUserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { engines, openEngine } from '../testing/open-engine.ts';
import { serveEntities } from '../testing/serve-entities.ts';
import type { ImportOutcome } from '../action/entity-api.ts';

const definition = defineAccess({
  entities: { shelf: { roles: ['owner'] } },
  entitlements: { 'shelf:read': { roles: ['owner'] } },
});

const own = rules.where({ ownerId: rules.user.id });

const shelfModel = defineModel('shelves', {
  fields: { ownerId: field.text({ serverValue: ({ userId }) => userId }), name: field.text({ default: '' }) },
});
const shelves = defineEntity({
  model: shelfModel,
  definition,
  resource: { type: 'shelf', creatorRole: 'owner' },
  access: {
    ...{ list: own, get: own, create: rules.authenticated(), update: false, delete: own },
    ...{ export: rules.authenticated(), import: rules.authenticated() },
  },
});

const bookModel = defineModel('books', {
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    shelfId: field.uuid({ references: 'shelves', nullable: true }),
    title: field.text({ maxLength: 100 }),
    isbn: field.text({ unique: true, nullable: true }),
    price: field.decimal(6, 2, { nullable: true }),
    lentAt: field.timestamp({ nullable: true }),
    rank: field.integer({ default: 0, readOnly: true }),
    secret: field.text({ default: 's', hidden: true }),
  },
});
const books = defineEntity({
  model: bookModel,
  access: {
    ...{ list: own, get: own, create: rules.all(own, rules.any(rules.where({ rank: 0 }))), update: false },
    ...{ delete: own, export: rules.authenticated(), import: rules.role('clerk') },
  },
  hooks: {
    before: {
      create: ({ title }) => {
        if (title === 'refused') throw new CodedError('FORBIDDEN', 'Not this one.', { reason: 'title' });
        if (title === 'broken') throw new TypeError('a fault of the hook');
      },
    },
  },
});

const notes = defineEntity({
  model: defineModel('notes', { fields: { text: field.text() } }),
  access: { list: rules.public, get: rules.public, create: rules.public, update: false, delete: false },
});

const declared = [shelves, books, notes];

const callerOf = (userId: string | null, role = 'clerk'): RuleCaller => ({
  ...anonymous,
  role,
  userId: userId === null ? null : toUserId(userId),
});

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

function entitiesOn(stores: Stores) {
  const access = createAccessContextFactory({ definition, stores, logger: false });
  return createEntities({ entities: declared, stores, logger: false, access });
}

function serve(stores: Stores, caller: RuleCaller = callerOf('ada')): App {
  return serveEntities(entitiesOn(stores), caller);
}

/** The routes of the entities, as one caller meets them. */
type App = ReturnType<typeof serveEntities>;

type Body = string | ReadableStream<Uint8Array>;

async function send(app: App, path: string, body: Body): Promise<{ status: number; body: never }> {
  const headers = { 'content-type': 'application/x-ndjson' };
  const response = await app.request(path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  return { status: response.status, body: JSON.parse(await response.text()) as never };
}

async function importBooks(app: App, body: Body, query = ''): Promise<ImportOutcome> {
  const response = await send(app, `/books/import${query}`, body);
  expect(response.status).toBe(200);
  return response.body;
}

const toLines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

async function toArray<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

async function exported(app: App, entity = 'books'): Promise<string> {
  return (await app.request(`/${entity}/export`)).text();
}

const codesOf = ({ failed }: ImportOutcome): readonly string[] =>
  failed.map(({ line, error }) => `${line} ${error.code}`);

describe.each(engines)('an import on %s', (engine) => {
  const open = (): Promise<Stores> => openEngine(engine, [shelfModel, bookModel, notes.model]);

  it('creates a record of each line, with its id, and counts lines without content', async () => {
    const stores = await open();
    const app = serve(stores);
    const lines = ['', JSON.stringify({ id: idOf(1).toUpperCase(), title: 'One' }), ' \r', '{"title":"Two"}\r', '', ''];
    expect(await importBooks(app, lines.join('\n'))).toEqual({ created: 2, failed: [], resumeAfter: 5 });
    const found = JSON.parse((await exported(app)).split('\n')[0]!);
    expect(found).toMatchObject({ id: idOf(1), title: 'One', ownerId: 'ada', rank: 0 });
    expect((await app.request(`/books/${idOf(1)}`)).headers.get('etag')).toBe('"1"');
    expect(await importBooks(app, '')).toEqual({ created: 0, failed: [], resumeAfter: 0 });
  });

  it('answers for each line what creating it is answered with, and goes on', async () => {
    const app = serve(await open());
    const values = [
      { title: 'One', isbn: '1', id: idOf(1) },
      { title: 'Again', isbn: '1' },
      { title: 'Taken', id: idOf(1) },
      { title: 'No id', id: 'x' },
      { title: 'Null', id: null },
      { title: 1 },
      { title: 'x', secret: 'y' },
      { title: 'x', ownerId: 'bob' },
      { title: 'x', shelfId: idOf(9) },
      { title: 'refused' },
      [],
      { title: 'Last', ownerId: 'ada', rank: 7, createdAt: '1999-01-01T00:00:00.000Z' },
    ];
    const outcome = await importBooks(app, `${toLines(values)}{"title":\n{"constructor":1}\n`);
    expect(codesOf(outcome)).toEqual([
      ...['2 CONFLICT', '3 CONFLICT', '4 VALIDATION_FAILED', '5 VALIDATION_FAILED', '6 VALIDATION_FAILED'],
      ...['7 VALIDATION_FAILED', '8 VALIDATION_FAILED', '9 CONFLICT', '10 FORBIDDEN', '11 VALIDATION_FAILED'],
      ...['13 INVALID_JSON', '14 INVALID_JSON'],
    ]);
    expect(outcome).toMatchObject({ created: 2, resumeAfter: 14 });
    expect(outcome.failed[1]?.error.issues).toMatchObject([{ path: ['id'], code: 'not_unique' }]);
    expect(outcome.failed[2]?.error.issues).toMatchObject([{ path: ['id'] }]);
    for (const { line, error } of outcome.failed.slice(4, 10)) {
      const response = await app.request('/books', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(values[line - 1]),
      });
      expect(JSON.parse(await response.text())).toEqual({ error });
    }
  });

  it('takes what an export gives, so that the same records are there again', async () => {
    const [source, target] = [serve(await open()), serve(await open())];
    const shelf = { id: idOf(7), name: 'Top' };
    expect((await send(source, '/shelves/import', toLines([shelf]))).body).toMatchObject({ created: 1 });
    const values = Array.from({ length: 30 }, (_, index) => ({
      title: `Title ${index} “ü”\u2028`,
      isbn: index % 3 === 0 ? null : String(index),
      price: `${index}.50`,
      shelfId: shelf.id,
      lentAt: '2026-01-01T00:00:00.123Z',
    }));
    await importBooks(source, toLines(values));
    expect((await send(target, '/shelves/import', await exported(source, 'shelves'))).body).toMatchObject({
      created: 1,
    });
    const file = await exported(source);
    expect(await importBooks(target, file)).toEqual({ created: 30, failed: [], resumeAfter: 30 });
    const withoutMoments = (text: string): string => text.replaceAll(/"(created|updated)At":"[^"]*"/g, '');
    expect(withoutMoments(await exported(target))).toBe(withoutMoments(file));
    const again = await importBooks(target, file);
    expect([again.created, new Set(again.failed.map(({ error }) => error.code))]).toEqual([0, new Set(['CONFLICT'])]);
  });

  it('continues after the line that it is told', async () => {
    const app = serve(await open());
    const file = toLines([{ title: 'a' }, { title: 1 }, { title: 'b' }, { title: 'c' }]);
    expect(await importBooks(app, file, '?resumeAfter=2')).toEqual({ created: 2, failed: [], resumeAfter: 4 });
    expect(await importBooks(app, file, '?resumeAfter=4')).toEqual({ created: 0, failed: [], resumeAfter: 4 });
    expect(await importBooks(app, file, '?resumeAfter=9')).toEqual({ created: 0, failed: [], resumeAfter: 9 });
    expect(await importBooks(app, file, '?resumeAfter=0')).toMatchObject({ created: 3, resumeAfter: 4 });
  });

  it('names the first 1,000 lines that were refused, and counts all', async () => {
    const app = serve(await open());
    const thousand = '{}\n'.repeat(1000);
    const full = await importBooks(app, thousand);
    expect([full.failed.length, full.failedTotal]).toEqual([1000, undefined]);
    const over = await importBooks(app, `${thousand}{}\n{"title":"x"}\n{}`);
    expect([over.failed.length, over.failed.at(-1)?.line, over.failedTotal]).toEqual([1000, 1000, 1002]);
    expect(over).toMatchObject({ created: 1, resumeAfter: 1003 });
  });

  it('keeps the lines before the one at which its client went, without a gap', async () => {
    const app = serve(await open());
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent > 3) controller.error(new Error('gone'));
        else controller.enqueue(Buffer.from(toLines([{ title: `${sent}a` }, { title: `${sent}b` }]) + '{"title":'));
      },
    });
    const response = await send(app, '/books/import', body);
    expect(response).toMatchObject({ status: 400, body: { error: { code: 'INVALID_JSON' } } });
    const titles = (await exported(app)).match(/"title":"[^"]*"/g)?.toSorted();
    const { created, failed, resumeAfter } = (response.body as { error: { meta: ImportOutcome } }).error.meta;
    expect(titles).toEqual(['1a', '1b', '2b', '3b'].map((title) => `"title":"${title}"`));
    expect([created, failed.map(({ line }) => line), resumeAfter]).toEqual([4, [3, 5], 6]);
  });

  it('ends where the store fails, and says how far it came', async () => {
    const stores = await open();
    let left = 3;
    const toFailing = (entities: Stores['entities']): Stores['entities'] => ({
      ...entities,
      async create(...given) {
        left -= 1;
        if (left < 0) throw new CodedError('SERVICE_UNAVAILABLE', 'The database is away.', { retryAfter: 2 });
        return entities.create(...given);
      },
    });
    const failing: Stores = {
      ...stores,
      transaction: (work, options) =>
        stores.transaction((inside) => work({ ...inside, entities: toFailing(inside.entities) }), options),
    };
    const file = toLines([{ title: 'a' }, {}, { title: 'b' }, { title: 'c' }, { title: 'd' }, { title: 'e' }]);
    const response = await send(serve(failing), '/books/import', file);
    expect(response).toMatchObject({
      status: 503,
      body: { error: { code: 'SERVICE_UNAVAILABLE', retryAfter: 2, meta: { created: 3, resumeAfter: 4 } } },
    });
    expect(codesOf((response.body as { error: { meta: ImportOutcome } }).error.meta)).toEqual(['2 VALIDATION_FAILED']);
    expect(await importBooks(serve(stores), file, '?resumeAfter=4')).toEqual({
      created: 2,
      failed: [],
      resumeAfter: 6,
    });
  });

  it('creates each record once where two import one file at once', async () => {
    const stores = await open();
    const file = toLines(Array.from({ length: 40 }, (_, index) => ({ id: idOf(index), title: String(index) })));
    const [one, other] = await Promise.all([importBooks(serve(stores), file), importBooks(serve(stores), file)]);
    expect(one.created + other.created).toBe(40);
    expect(one.failed.length + other.failed.length).toBe(40);
    expect(new Set([...one.failed, ...other.failed].map(({ error }) => error.code))).toEqual(new Set(['CONFLICT']));
  });

  it('takes no id of a resource that has been there, even without a record', async () => {
    const stores = await open();
    const app = serve(stores);
    const bob = toUserId('bob');
    await stores.roleAssignments.assign({ userId: bob, resource: { type: 'shelf', id: idOf(1) }, role: 'owner' });
    const edge = { child: { type: 'shelf', id: idOf(2) }, parent: { type: 'shelf', id: idOf(3) } };
    await stores.hierarchy.attach(edge);
    const { body } = await send(app, '/shelves/import', toLines([1, 2, 3, 4].map((index) => ({ id: idOf(index) }))));
    expect(codesOf(body)).toEqual(['1 CONFLICT', '2 CONFLICT', '3 CONFLICT']);
    expect(body).toMatchObject({ created: 1 });
    const system = entitiesOn(stores).asSystem({ userId: toUserId('ada'), tenantId: null });
    expect((await system.create(shelves, { id: idOf(1) })).ok).toBe(true);
  });

  it('is refused to callers whom its own rule, or that of create, refuses as such', async () => {
    const stores = await open();
    const refusalOf = async (caller: RuleCaller): Promise<unknown> => {
      const { status, body } = await send(serve(stores, caller), '/books/import', toLines([{ title: 'x' }]));
      return `${status} ${(body as { error: { code: string } }).error.code}`;
    };
    expect(await refusalOf(callerOf('ada', 'user'))).toBe('403 FORBIDDEN');
    expect(await refusalOf(callerOf(null, 'clerk'))).toBe('401 UNAUTHENTICATED');
    expect(await exported(serve(stores))).toBe('');
  });
});

it('refuses other types, other parameters and conditions before it reads anything', async () => {
  const app = serve(await openEngine('memory', [shelfModel, bookModel, notes.model]));
  const body = toLines([{ title: 'x' }]);
  for (const query of ['resumeAfter=-1', 'resumeAfter=x', 'resumeAfter=', 'resumeAfter=1.5', 'resumeAfter=1e3']) {
    expect(await send(app, `/books/import?${query}`, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_QUERY' } },
    });
  }
  for (const query of ['resumeAfter=1&resumeAfter=2', 'resumeAfter=9999999999999999', 'x=1', '__proto__=1']) {
    expect(await send(app, `/books/import?${query}`, body)).toMatchObject({ status: 400 });
  }
  const json = { 'content-type': 'application/json' };
  expect((await app.request('/books/import', { method: 'POST', headers: json, body })).status).toBe(415);
  const conditional = { 'content-type': 'application/x-ndjson', 'if-match': '"1"' };
  expect((await app.request('/books/import', { method: 'POST', headers: conditional, body })).status).toBe(400);
  const headers = { 'content-type': 'application/x-ndjson' };
  expect((await app.request('/notes/import', { method: 'POST', headers, body })).status).toBe(404);
  expect(await exported(app)).toBe('');
});

it('goes on after a line whose hook has a fault, which it does not tell', async () => {
  const app = serve(await openEngine('memory', [shelfModel, bookModel, notes.model]));
  const outcome = await importBooks(app, toLines([{ title: 'broken' }, { title: 'x' }]));
  const error = { code: 'INTERNAL_ERROR', message: 'Something went wrong.' };
  expect(outcome).toEqual({ created: 1, failed: [{ line: 1, error }], resumeAfter: 2 });
});

it('bounds the errors that it keeps', async () => {
  const app = serve(await openEngine('memory', [shelfModel, bookModel, notes.model]));
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`unknown${'x'.repeat(200)}${index}`, 1]));
  const outcome = await importBooks(app, toLines(Array.from({ length: 50 }, () => many)));
  expect(outcome.failed.length).toBeGreaterThan(0);
  expect(JSON.stringify(outcome).length).toBeLessThan(2 ** 20 + 1000);
  expect(outcome).toMatchObject({ created: 0, failedTotal: 50, resumeAfter: 50 });
  expect(outcome.failed.map(({ line }) => line)).toEqual(outcome.failed.map((_, index) => index + 1));
});

it('lets other work have its turn while lines are refused', async () => {
  const stores = await openEngine('memory', [shelfModel, bookModel, notes.model]);
  const api = entitiesOn(stores).as(callerOf('ada'));
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  const lines = (async function* () {
    for (let count = 0; count < 20_000; count += 1) yield 1;
  })();
  const outcome = await api.importRecords(books, lines);
  clearInterval(timer);
  expect(outcome.value).toMatchObject({ created: 0, failedTotal: 20_000 });
  expect(turns).toBeGreaterThan(2);
});

it('ignores the id that a caller sends to create, and takes that of the app', async () => {
  const stores = await openEngine('memory', [shelfModel, bookModel, notes.model]);
  const entities = entitiesOn(stores);
  const input = { id: idOf(1), text: 'x' };
  const created = await entities.as(callerOf('ada')).create(notes, input as never);
  expect(created.value?.record.id).not.toBe(idOf(1));
  expect((await entities.asSystem().create(notes, input)).value?.record.id).toBe(idOf(1));
  expect((await entities.asSystem().create(notes, input)).error?.code).toBe('CONFLICT');
  expect((await entities.asSystem().create(notes, { ...input, id: 'x' })).error?.code).toBe('VALIDATION_FAILED');
});

it('imports and exports in process, also in a transaction that is open', async () => {
  const stores = await openEngine('sqlite', [shelfModel, bookModel, notes.model]);
  const entities = entitiesOn(stores);
  const values = async function* () {
    yield { id: idOf(2), text: 'two' };
    yield { id: 'x', text: 'none' };
    yield { id: idOf(1), text: 'one' };
  };
  const rolledBack = stores.transaction(async (inside) => {
    const api = entities.within({ stores: inside, afterCommit: () => {} });
    expect((await api.importRecords(notes, values())).value).toMatchObject({ created: 2, resumeAfter: 3 });
    const read = await api.exportRecords(notes);
    expect((await toArray(read.value!)).map(({ id }) => id)).toEqual([idOf(1), idOf(2)]);
    throw new Error('back');
  });
  await expect(rolledBack).rejects.toThrow('back');
  const system = entities.asSystem();
  const resumed = await system.importRecords(notes, values(), { resumeAfter: 2 });
  expect(resumed.value).toEqual({ created: 1, failed: [], resumeAfter: 3 });
  const found = await system.exportRecords(notes, { where: { text: { startsWith: 'o' } } });
  expect((await toArray(found.value!)).map(({ text }) => text)).toEqual(['one']);
  const caller = entities.as(callerOf('ada'));
  expect((await caller.importRecords(notes, values())).error?.code).toBe('METHOD_NOT_ALLOWED');
  expect((await caller.exportRecords(notes)).error?.code).toBe('METHOD_NOT_ALLOWED');
});
