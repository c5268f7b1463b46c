import { defineAccess, rules } from '@x/access';
import { action, belongsTo, defineEntity, defineModel, field, recordAction } from '@x/entity';
import { unwrap } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEntityServer, type EntityClient, type EntityServer, patch, remove } from '../support/entity-server.ts';
import { refusalOf } from '../support/refusal-of.ts';
import type { TestResponse } from '../support/test-client.ts';
import { engines } from '../support/test-server.ts';

const model = defineModel('sheets', {
  fields: {
    ownerId: field.text({ serverValue: ({ userId }) => userId }),
    name: field.text({ default: '' }),
    parentId: field.uuid({ nullable: true, references: 'sheets' }),
  },
  relations: { parent: belongsTo('parentId') },
});
const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));
const access = { list: own, get: own, create: own, update: own, delete: own };

/** Runs in a handler between the check of the version and its own write. */
let meanwhile: () => Promise<unknown> = async () => undefined;

const sheets = defineEntity({
  model,
  access: { ...access, bulk: rules.authenticated() },
  actions: {
    rename: recordAction(model, {
      rule: own,
      output: z.strictObject({ name: z.string() }),
      async handler({ record, entities, expectedVersion }) {
        await meanwhile();
        const target = { name: 'sheets', model };
        return { name: unwrap(await entities.update(target, record.id, { name: 'new' }, expectedVersion)).record.name };
      },
    }),
    look: recordAction(model, { rule: own, method: 'GET', handler: ({ version }) => ({ version }) }),
    drop: recordAction(model, {
      rule: own,
      method: 'DELETE',
      path: 'self',
      status: 204,
      handler: async ({ record, system, expectedVersion }) =>
        unwrap(await system.delete({ name: 'sheets', model }, record.id, expectedVersion)),
    }),
    count: action({ rule: rules.authenticated(), handler: () => 1 }),
  },
});

/** A server, a browser, and a record at version 3. */
async function setUp(engine: (typeof engines)[number]): Promise<EntityServer & EntityClient & { readonly id: string }> {
  const test = await createEntityServer({ engine, entities: [sheets] });
  const ada = await test.signUp();
  const { id } = (await ada.browser.post('/api/sheets', { name: 'one' })).body;
  for (const name of ['two', 'three']) await patch(ada.browser, `/api/sheets/${id}`, { name });
  meanwhile = async () => undefined;
  return { ...test, ...ada, id };
}

/** Tags that are not that of version 3, though one could take some for it. */
const others = [
  ...[
    '"2"',
    '"03"',
    '"3.0"',
    '"+3"',
    '" 3"',
    '"3 "',
    '3',
    'W/"3"',
    'w/"3"',
    '"3',
    "'3'",
    '"0x3"',
    '"\u0663"',
    '""',
    '',
  ],
  ...['"1", "2"', 'W/"3", "2"', '*, "2"', '"*"', '"3";"3"', '"1,3"', `"${'9'.repeat(400)}"`, 'W/"3", W/"3"'],
];
const matching = ['"3"', '*', ' "3" ', '"1", "3"', '"1","3","7"', 'W/"3", "3"', '"3", "3"', '"x", "3"'];

describe.each(engines)('If-Match on %s', (engine) => {
  it.each(others)('%j does not match version 3, so nothing happens', async (tag) => {
    const { browser, id } = await setUp(engine);
    const headers = { 'if-match': encodeHeader(tag) };
    const path = `/api/sheets/${id}`;
    const responses = [
      await patch(browser, path, { name: 'x' }, headers),
      await patch(browser, path, {}, headers),
      await remove(browser, path, headers),
      await browser.post(`${path}/rename`, undefined, { headers }),
      await browser.get(`${path}/look`, { headers }),
      await remove(browser, `${path}/self`, headers),
      await browser.post('/api/sheets/bulk', { update: [{ id, ifMatch: headers['if-match'], name: 'x' }] }),
      await browser.post('/api/sheets/bulk', { delete: [{ id, ifMatch: headers['if-match'] }] }),
    ];
    expect(responses.map(refusalOf)).toEqual(responses.map(() => 'PRECONDITION_FAILED'));
    const record = await browser.get(path);
    expect([record.headers.get('etag'), record.body]).toEqual(['"3"', expect.objectContaining({ name: 'three' })]);
  });

  it.each(matching)('%j matches version 3', async (tag) => {
    for (const send of [
      (browser, path, headers) => patch(browser, path, { name: 'x' }, headers),
      (browser, path, headers) => remove(browser, path, headers),
      (browser, path, headers) => browser.post(`${path}/rename`, undefined, { headers }),
      (browser, path, headers) => browser.get(`${path}/look`, { headers }),
      (browser, path, headers) => remove(browser, `${path}/self`, headers),
      (browser, path, headers) =>
        browser.post('/api/sheets/bulk', {
          update: [{ id: path.split('/')[3], ifMatch: headers['if-match'], name: 'x' }],
        }),
      (browser, path, headers) =>
        browser.post('/api/sheets/bulk', { delete: [{ id: path.split('/')[3], ifMatch: headers['if-match'] }] }),
    ] satisfies readonly ((
      browser: EntityClient['browser'],
      path: string,
      headers: { readonly 'if-match': string },
    ) => Promise<TestResponse>)[]) {
      const { browser, id } = await setUp(engine);
      const response = await send(browser, `/api/sheets/${id}`, { 'if-match': tag });
      expect([200, 204], response.text).toContain(response.status);
    }
  });

  it('is heeded by no action on a record that the caller cannot see', async () => {
    const { signUp, id } = await setUp(engine);
    const { browser } = await signUp();
    for (const tag of ['"2"', '"3"']) {
      const response = await browser.post(`/api/sheets/${id}/rename`, undefined, { headers: { 'if-match': tag } });
      expect(refusalOf(response)).toBe('NOT_FOUND');
    }
  });

  it('of an action holds for the writes of its handler, if that passes it on', async () => {
    const { browser, id } = await setUp(engine);
    const path = `/api/sheets/${id}`;
    meanwhile = () => patch(browser, path, { name: 'meanwhile' });
    const renamed = await browser.post(`${path}/rename`, undefined, { headers: { 'if-match': '"3"' } });
    expect(refusalOf(renamed)).toBe('PRECONDITION_FAILED');
    expect((await browser.get(path)).body).toMatchObject({ name: 'meanwhile' });
    for (const headers of [{ 'if-match': '*' }, {}] as const) {
      expect((await browser.post(`${path}/rename`, undefined, { headers })).body).toEqual({ name: 'new' });
    }
  });

  it('of a bulk item names it in the error, and undoes the others', async () => {
    const { browser, id } = await setUp(engine);
    const other = (await browser.post('/api/sheets', { name: 'other' })).body.id;
    const good = { id: other, ifMatch: '"1"', name: 'changed' };
    for (const [input, path] of [
      [{ create: [{}], update: [good, { id, ifMatch: '"2"', name: 'x' }] }, ['update', 1]],
      [{ update: [good], delete: [{ id, ifMatch: '"2"' }] }, ['delete', 0]],
    ] as const) {
      const refused = await browser.post('/api/sheets/bulk', input);
      expect([refusalOf(refused), refused.body.error.issues[0]?.path]).toEqual(['PRECONDITION_FAILED', path]);
    }
    expect((await browser.get('/api/sheets?orderBy=name')).body.items.map(({ name }) => name)).toEqual([
      'other',
      'three',
    ]);
    const done = await browser.post('/api/sheets/bulk', { update: [good], delete: [{ id }] });
    expect(done.body).toMatchObject({ updated: [{ id: other, name: 'changed' }], deleted: [id] });
    for (const [input, path] of [
      [{ update: [{ id, ifMatch: 3 }] }, ['update', 0, 'ifMatch']],
      [{ delete: [other, { id, ifMatch: null }] }, ['delete', 1, 'ifMatch']],
      [{ delete: [{ id, version: 3 }] }, ['delete', 0, 'version']],
      [{ delete: [{ ifMatch: '*' }] }, ['delete', 0, 'id']],
      [{ delete: [3] }, ['delete', 0]],
    ] as const) {
      const refused = await browser.post('/api/sheets/bulk', input);
      expect([refusalOf(refused), refused.body.error.issues[0]?.path]).toEqual(['VALIDATION_FAILED', path]);
    }
  });

  it('is refused where there is nothing to compare with', async () => {
    const { browser, client, id } = await setUp(engine);
    const headers = { 'if-match': '"3"' };
    const senders = ((each) => [
      () => each.post('/api/sheets', {}, { headers }),
      () => each.post('/api/sheets/query', {}, { headers }),
      () => each.post('/api/sheets/bulk', { delete: [id] }, { headers }),
      () => each.post('/api/sheets/count', undefined, { headers }),
    ]) satisfies (each: typeof browser) => readonly (() => Promise<TestResponse>)[];
    for (const send of senders(browser)) expect(refusalOf(await send())).toBe('VALIDATION_FAILED');
    for (const send of senders(client())) expect(refusalOf(await send())).toBe('UNAUTHENTICATED');
    expect((await browser.get('/api/sheets')).body.items).toHaveLength(1);
  });

  it('is the version in process', async () => {
    const { server, userId, id } = await setUp(engine);
    const api = server.entities.as({ userId, tenantId: null, role: 'user', secondFactorAt: null });
    expect(await api.act(sheets, 'rename', { id, version: 2 })).toMatchObject({
      error: { code: 'PRECONDITION_FAILED' },
    });
    expect(await api.act(sheets, 'rename', { id, version: 3 })).toMatchObject({ value: { name: 'new' } });
  });
});

describe.each(engines)('If-None-Match on %s', (engine) => {
  it('of the version of a record gives 304 without a body', async () => {
    const { browser, id } = await setUp(engine);
    for (const tag of ['"3"', 'W/"3"', '"1", "3"', '*']) {
      for (const [method, query] of [
        ['GET', ''],
        ['HEAD', ''],
        ['GET', '?select=id'],
      ] as const) {
        const response = await browser.send(`/api/sheets/${id}${query}`, { method, headers: { 'if-none-match': tag } });
        expect([response.status, response.text, response.headers.get('etag')]).toEqual([304, '', '"3"']);
        expect(response.headers.get('cache-control')).toBe('private, no-store');
        expect(response.headers.has('x-request-id')).toBe(true);
      }
    }
    for (const tag of ['"2"', '"03"', '3', '', 'W/*', '"*"', '"2", *']) {
      const response = await browser.get(`/api/sheets/${id}`, { headers: { 'if-none-match': tag } });
      expect([response.status, response.body]).toEqual([200, expect.objectContaining({ name: 'three' })]);
    }
    await patch(browser, `/api/sheets/${id}`, { name: 'four' });
    expect((await browser.get(`/api/sheets/${id}`, { headers: { 'if-none-match': '"3"' } })).status).toBe(200);
  });

  it('does not tell that a record exists', async () => {
    const { client, signUp, id } = await setUp(engine);
    const headers = { 'if-none-match': '*' };
    const { browser } = await signUp();
    expect(refusalOf(await browser.get(`/api/sheets/${id}`, { headers }))).toBe('NOT_FOUND');
    expect(refusalOf(await client().get(`/api/sheets/${id}`, { headers }))).toBe('UNAUTHENTICATED');
  });

  it('does not matter where the record can look different at the same version', async () => {
    const definition = defineAccess({
      entities: { sheet: { roles: ['owner'] } },
      entitlements: { 'sheet:read': { roles: ['owner'] } },
    });
    const shared = { model, definition, resource: { type: 'sheet', creatorRole: 'owner' } } as const;
    const described = {
      'with include': [defineEntity({ model, access }), '?include=parent'],
      'with access': [defineEntity({ ...shared, access }), '?access=sheet:read'],
      'with recordAccess': [defineEntity({ ...shared, access, recordAccess: ['sheet:read'] }), ''],
      'with a rule of a field': [
        defineEntity({ model, access: { ...access, fields: { name: { read: rules.role('admin') } } } }),
        '',
      ],
    } as const;
    for (const [name, [entity, query]] of Object.entries(described)) {
      const { signUp } = await createEntityServer({
        engine,
        entities: [entity],
        ...(entity.definition && { access: { definition, orgResolver: () => null } }),
      });
      const { browser } = await signUp();
      const { id } = (await browser.post('/api/sheets', {})).body;
      const response = await browser.get(`/api/sheets/${id}${query}`, { headers: { 'if-none-match': '"1"' } });
      expect([name, response.status, response.headers.get('etag')]).toEqual([name, 200, '"1"']);
    }
  });

  it.each(['*', '"3"', '"2"'])('%s is refused by everything that writes', async (tag) => {
    const { browser, client, id } = await setUp(engine);
    const headers = { 'if-none-match': tag };
    const path = `/api/sheets/${id}`;
    const senders = ((each) => [
      () => patch(each, path, { name: 'x' }, headers),
      () => remove(each, path, headers),
      () => each.post('/api/sheets', {}, { headers }),
      () => each.post('/api/sheets/bulk', { delete: [id] }, { headers }),
      () => each.post(`${path}/rename`, undefined, { headers }),
    ]) satisfies (each: typeof browser) => readonly (() => Promise<TestResponse>)[];
    for (const send of senders(browser)) {
      const response = await send();
      const [issue] = response.body.error.issues;
      expect([refusalOf(response), issue?.path]).toEqual(['VALIDATION_FAILED', ['If-None-Match']]);
    }
    for (const send of senders(client())) expect(refusalOf(await send())).toBe('UNAUTHENTICATED');
    expect((await browser.get('/api/sheets')).body.items).toMatchObject([{ name: 'three' }]);
  });
});

/** A header is bytes; a character beyond them is sent as its UTF-8. */
function encodeHeader(text: string): string {
  return Buffer.from(text).toString('latin1');
}
