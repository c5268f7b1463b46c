import { rules } from '@x/access';
import { action, defineEntity, defineModel, defineService, field, type ImportOutcome, recordAction } from '@x/entity';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEntityServer } from '../../support/entity-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';
import { engines } from '../../support/test-server.ts';

const keys = ['__proto__', 'constructor', 'prototype'] as const;

const model = defineModel('sheets', {
  fields: { ownerId: field.text({ serverValue: ({ userId }) => userId }), cells: field.json({ default: {} }) },
});
const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));
/** A record schema drops `__proto__` on its own. */
const input = z.record(z.string(), z.unknown());

const sheets = defineEntity({
  model,
  access: {
    ...{ list: own, get: own, create: own, update: own, delete: own },
    ...{ bulk: rules.authenticated(), import: rules.authenticated() },
  },
  actions: {
    fill: recordAction(model, { rule: own, input, handler: (context) => context.input }),
    find: recordAction(model, { rule: own, method: 'GET', input, handler: (context) => context.input }),
    load: action({ rule: rules.authenticated(), input, handler: (context) => context.input }),
  },
});

const tools = defineService({
  name: 'tools',
  actions: { echo: action({ rule: rules.authenticated(), input, handler: (context) => context.input }) },
});

const lines = { 'content-type': 'application/x-ndjson' };

/** The same key at several depths; JSON text, because an object literal would set its prototype instead. */
function plantedIn(key: string): readonly string[] {
  return [`"${key}":{"x":1}`, `"${key}":null`, `"a":{"${key}":1}`, `"a":[[{"b":{"${key}":{"x":1}}}]]`];
}

/** The bodies that an entity takes, with the key in each place where a client chooses keys. */
function toRequests(id: string, planted: string): readonly (readonly [method: string, path: string, raw: string])[] {
  return [
    ['POST', '/api/sheets', `{${planted}}`],
    ['POST', '/api/sheets', `{"cells":{${planted}}}`],
    ['PATCH', `/api/sheets/${id}`, `{${planted}}`],
    ['PATCH', `/api/sheets/${id}`, `{"cells":{${planted}}}`],
    ['POST', '/api/sheets/query', `{${planted}}`],
    ['POST', '/api/sheets/query', `{"where":{${planted}}}`],
    ['POST', '/api/sheets/query', `{"where":{"AND":[{"NOT":{${planted}}}]}}`],
    ['POST', '/api/sheets/bulk', `{${planted}}`],
    ['POST', '/api/sheets/bulk', `{"create":[{"cells":{${planted}}}]}`],
    ['POST', '/api/sheets/bulk', `{"update":[{"id":"${id}",${planted}}]}`],
    ['POST', '/api/sheets/bulk', `{"delete":[{"id":"${id}",${planted}}]}`],
    ['POST', `/api/sheets/${id}/fill`, `{${planted}}`],
    ['POST', '/api/sheets/load', `{${planted}}`],
    ['POST', '/api/tools/echo', `{${planted}}`],
    ...['signup', 'signin', 'change-password', 'confirm'].map(
      (path) => ['POST', `/api/auth/${path}`, `{"email":"ada@example.com","password":"x",${planted}}`] as const,
    ),
    ['POST', '/api/auth/signout', `{${planted}}`],
    ['DELETE', '/api/auth/account', `{${planted}}`],
    ['DELETE', `/api/sheets/${id}`, `{${planted}}`],
  ];
}

describe.each(engines)('a key that could reach a prototype, on %s', (engine) => {
  it.each(keys)('is refused as %s at any depth of any body, without an effect', async (key) => {
    const { signUp } = await createEntityServer({ engine, entities: [sheets], services: [tools] });
    const { browser } = await signUp();
    const { id, ...before } = (await browser.post('/api/sheets', { cells: { a: 1 } })).body;
    const outcomes = new Set<string>();
    for (const planted of plantedIn(key)) {
      for (const [method, path, raw] of toRequests(id, planted)) {
        const response = await browser.send(path, { method, raw, headers: { 'content-type': 'application/json' } });
        const paths = response.body.error?.issues?.map((issue) => issue.path.at(-1));
        outcomes.add(`${response.status < 400 ? `${method} ${path} ${raw}` : refusalOf(response)} ${paths?.join()}`);
      }
    }
    expect([...outcomes]).toEqual([`INVALID_JSON ${key}`]);
    expect((await browser.get('/api/sheets')).body.items).toEqual([{ id, ...before }]);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });

  it.each(keys)('is refused as %s in each line of an import', async (key) => {
    const { server, signUp } = await createEntityServer({ engine, entities: [sheets] });
    const { browser, userId } = await signUp();
    const planted = plantedIn(key).flatMap((each) => [`{${each}}`, `{"cells":{${each}}}`]);
    const request = { method: 'POST', raw: planted.join('\n'), headers: lines };
    const { created, failed } = (await browser.send('/api/sheets/import', request)).body as unknown as ImportOutcome;
    expect([created, failed.map(({ error }) => `${error.code} ${error.issues?.[0]?.path.at(-1)}`)]).toEqual([
      0,
      planted.map(() => `INVALID_JSON ${key}`),
    ]);
    const api = server.entities.as({ userId, tenantId: null, role: 'user', secondFactorAt: null });
    const values = (async function* () {
      for (const each of planted) yield JSON.parse(each) as unknown;
    })();
    const inProcess = await api.importRecords(sheets, values);
    expect(inProcess.value?.failed.map(({ error }) => error.code)).toEqual(planted.map(() => 'VALIDATION_FAILED'));
    expect((await browser.get('/api/sheets')).body.items).toEqual([]);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });

  it.each(keys)('is refused as %s in any query', async (key) => {
    const { signUp } = await createEntityServer({ engine, entities: [sheets], services: [tools] });
    const { browser } = await signUp();
    const { id } = (await browser.post('/api/sheets', {})).body;
    const queries = [
      `?${key}=1`,
      `?${key}=1&${key}=2`,
      `?${key}`,
      `?%5F${key.slice(1)}=1`.replace(/%5F(?!_)/, key[0]!),
    ];
    const get = (path: string): Promise<TestResponse> => browser.get(path);
    const senders: readonly ((query: string) => Promise<TestResponse>)[] = [
      (query) => get(`/api/sheets${query}`),
      (query) => get(`/api/sheets/${id}${query}`),
      (query) => browser.post(`/api/sheets${query}`, {}),
      (query) => browser.post(`/api/sheets/bulk${query}`, {}),
      (query) => browser.send(`/api/sheets/import${query}`, { method: 'POST', raw: '{}', headers: lines }),
      (query) => browser.post(`/api/tools/echo${query}`, {}),
      (query) => browser.send(`/api/sheets/${id}${query}`, { method: 'PATCH', body: { cells: {} } }),
      (query) => browser.send(`/api/sheets/${id}${query}`, { method: 'DELETE' }),
      ...['session', 'sessions', 'events', 'providers', '.well-known/jwks.json'].map(
        (path) => (query: string) => get(`/api/auth/${path}${query}`),
      ),
      (query) => browser.post(`/api/auth/signin${query}`, { email: 'ada@example.com', password: 'x' }),
    ];
    const outcomes = await Promise.all(senders.flatMap((send) => queries.map((query) => send(query).then(refusalOf))));
    expect(new Set(outcomes)).toEqual(new Set(['INVALID_QUERY']));
    for (const where of [`where[${key}]=1`, `where[${key}][eq]=1`, `where[ownerId][${key}]=1`]) {
      expect(refusalOf(await get(`/api/sheets?${where}`))).toBe('INVALID_QUERY');
    }
    // An action has its own parameters.
    for (const query of queries) expect(await refusalOfAction(browser, id, query)).toEqual(['INVALID_QUERY', [key]]);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });

  it.each(keys)('is refused as %s in process', async (key) => {
    const { server, signUp } = await createEntityServer({ engine, entities: [sheets], services: [tools] });
    const { userId, browser } = await signUp();
    const { id } = (await browser.post('/api/sheets', { cells: { a: 1 } })).body;
    const api = server.entities.as({ userId, tenantId: null, role: 'user', secondFactorAt: null });
    for (const planted of plantedIn(key)) {
      const given = JSON.parse(`{${planted}}`) as never;
      const results = [
        await api.create(sheets, given),
        await api.create(sheets, { cells: given }),
        await api.update(sheets, id, given),
        await api.update(sheets, id, { cells: given }),
        await api.act(sheets, 'fill', { id, input: given }),
        await api.act(sheets, 'load', { input: given }),
        await api.act(tools, 'echo', { input: given }),
      ];
      expect(results.map((result) => (result.ok ? planted : result.error.code))).toEqual(
        results.map(() => 'VALIDATION_FAILED'),
      );
      for (const query of [given, { where: given }, { where: { OR: [given] } }]) {
        expect(await api.list(sheets, query)).toMatchObject({ ok: false, error: { code: 'INVALID_QUERY' } });
      }
    }
    expect((await browser.get(`/api/sheets/${id}`)).body).toMatchObject({ cells: { a: 1 } });
  });
});

async function refusalOfAction(browser: TestClient, id: string, query: string): Promise<unknown> {
  const response = await browser.get(`/api/sheets/${id}/find${query}`);
  return [refusalOf(response), response.body.error.issues?.flatMap((issue) => issue.path)];
}
