import { rules } from '@x/access';
import {
  action,
  defineEntity,
  defineModel,
  defineService,
  type Entity,
  field,
  recordAction,
  type Service,
} from '@x/entity';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEntityServer } from '../support/entity-server.ts';
import { hostileStrings } from '../support/hostile-strings.ts';
import { faultOf, refusalOf } from '../support/refusal-of.ts';
import type { TestResponse } from '../support/test-client.ts';
import { engines } from '../support/test-server.ts';

const model = defineModel('lists', {
  fields: { ownerId: field.text({ serverValue: ({ userId }) => userId }), title: field.text() },
});
const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));
const anything = z.strictObject({ text: z.string(), more: z.unknown() }).partial();

const lists: Entity = defineEntity({
  model,
  access: { list: own, get: own, create: own, update: false, delete: false },
  actions: {
    echo: recordAction(model, { input: anything, rule: own, handler: ({ input }) => input }),
    find: recordAction(model, { method: 'GET', input: anything, rule: own, handler: ({ input }) => input }),
    total: action({ method: 'GET', input: anything, rule: rules.authenticated(), handler: ({ input }) => input }),
    import: action({ input: anything, rule: rules.authenticated(), handler: ({ input }) => input }),
    admin: action({ input: anything, rule: rules.role('admin'), handler: () => 'never' }),
  },
});

const tools: Service = defineService({
  name: 'tools',
  actions: {
    echo: action({ input: anything, rule: rules.authenticated(), handler: ({ input }) => input }),
    own: action({ method: 'GET', path: '', input: anything, rule: rules.public, handler: ({ input }) => input }),
    drop: action({ method: 'DELETE', path: '', rule: rules.authenticated(), handler: () => 'dropped' }),
    fail: action({
      output: z.strictObject({ ok: z.literal(true) }),
      rule: rules.public,
      handler: () => ({ ok: true, secret: 'x' }) as { ok: true },
    }),
    broken: action({ rule: rules.public, handler: () => expect.unreachable('secret') }),
    file: action({
      rule: rules.public,
      handler: () => new Response('1', { headers: { 'Content-Type': 'text/csv' } }),
    }),
  },
});

const bodies = (
  JSON.parse(readFileSync(new URL('../../http/test-data/json-test-suite.json', import.meta.url), 'utf8')) as readonly {
    readonly base64: string;
  }[]
).map(({ base64 }) => new Uint8Array(Buffer.from(base64, 'base64')));

describe.each(engines)('routes of actions on %s', (engine) => {
  it('run the same checks as every route that writes, in the same order', async () => {
    const { signUp, client } = await createEntityServer({ engine, entities: [lists], services: [tools] });
    const { browser } = await signUp();
    const { id } = (await browser.post('/api/lists', { title: 'x' })).body;
    for (const path of ['/api/tools/echo', '/api/lists/import', `/api/lists/${id}/echo`]) {
      const of = async (response: Promise<TestResponse>): Promise<string> => refusalOf(await response);
      const raw = { method: 'POST', raw: '{"text":' };
      expect((await browser.post(path, { text: 'x' })).body).toEqual({ text: 'x' });
      expect(await of(browser.send(path, { method: 'PUT', body: {} }))).toBe('METHOD_NOT_ALLOWED');
      expect(await of(browser.send(path, { ...raw, headers: { 'content-length': '262145' } }))).toBe(
        'PAYLOAD_TOO_LARGE',
      );
      expect(await of(browser.send(path, { ...raw, headers: { 'x-app-request': null } }))).toBe('CSRF_FAILED');
      expect(await of(browser.send(path, { ...raw, headers: { origin: 'https://evil.example' } }))).toBe('CSRF_FAILED');
      expect(await of(browser.send(path, { ...raw, headers: { 'content-type': 'text/plain' } }))).toBe(
        'UNSUPPORTED_MEDIA_TYPE',
      );
      expect(await of(browser.send(path, { ...raw, headers: { 'content-type': 'application/json' } }))).toBe(
        'INVALID_JSON',
      );
      expect(await of(client().post(path, { unknown: 1 }))).toBe('UNAUTHENTICATED');
      expect(await of(browser.post(path, { unknown: 1 }))).toBe('VALIDATION_FAILED');
      expect((await browser.post(path, { unknown: 1 })).headers.get('cache-control')).toBe('private, no-store');
    }
    expect(refusalOf(await browser.post('/api/lists/admin', { unknown: 1 }))).toBe('FORBIDDEN');
    expect((await browser.get(`/api/lists/${id}/find?text=a`)).body).toEqual({ text: 'a' });
    expect((await browser.send(`/api/lists/${id}/find?text=a`, { method: 'HEAD' })).status).toBe(200);
    const refused = await browser.send(`/api/lists/${id}/find`, { method: 'POST', body: {} });
    expect([refusalOf(refused), refused.headers.get('allow')]).toEqual(['METHOD_NOT_ALLOWED', 'GET, HEAD']);
    expect(refusalOf(await browser.post('/api/tools/nothing', {}))).toBe('NOT_FOUND');
    const wrong = await browser.post('/api/tools', {});
    expect([refusalOf(wrong), wrong.headers.get('allow')]).toEqual(['METHOD_NOT_ALLOWED', 'GET, HEAD, DELETE']);
  });

  it('have any method, on a collection beside the paths of its records, and on the path of a service', async () => {
    const { signUp, client } = await createEntityServer({ engine, entities: [lists], services: [tools] });
    const { browser } = await signUp();
    const { id } = (await browser.post('/api/lists', { title: 'x' })).body;
    expect((await browser.get('/api/lists/total?text=a')).body).toEqual({ text: 'a' });
    expect(refusalOf(await client().get('/api/lists/total?no=a'))).toBe('UNAUTHENTICATED');
    expect(refusalOf(await browser.get('/api/lists/total?no=a'))).toBe('INVALID_QUERY');
    expect((await browser.get(`/api/lists/${id}`)).body).toMatchObject({ id });
    expect((await client().get('/api/tools?text=a')).body).toEqual({ text: 'a' });
    expect(refusalOf(await client().get('/api/tools?no=a'))).toBe('INVALID_QUERY');
    expect((await browser.send('/api/tools', { method: 'DELETE' })).body).toBe('dropped');
    const forged = { method: 'DELETE', headers: { 'x-app-request': null } };
    expect(refusalOf(await browser.send('/api/tools', forged))).toBe('CSRF_FAILED');
    expect(refusalOf(await client().send('/api/tools', { method: 'DELETE' }))).toBe('UNAUTHENTICATED');
  });

  it('respond with the declared output, with files, and never with details of an internal error', async () => {
    const { client } = await createEntityServer({ engine, entities: [lists], services: [tools] });
    const file = await client().post('/api/tools/file');
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv']);
    for (const name of ['x-request-id', 'x-content-type-options', 'cache-control']) {
      expect([name, file.headers.has(name)]).toEqual([name, true]);
    }
    for (const name of ['fail', 'broken']) {
      const response = await client().post(`/api/tools/${name}`);
      expect([response.status, refusalOf(response), response.text.includes('secret')]).toEqual([
        500,
        'INTERNAL_ERROR',
        false,
      ]);
    }
  });

  it('accept any text and any bytes without an internal error', async () => {
    const { signUp } = await createEntityServer({ engine, entities: [lists], services: [tools] });
    const { browser } = await signUp();
    const { id } = (await browser.post('/api/lists', { title: 'x' })).body;
    const faults: unknown[] = [];
    const note = (asked: string, response: TestResponse): void => {
      const fault = faultOf(response);
      if (fault !== null) faults.push([asked, fault]);
    };
    for (const text of hostileStrings.filter((_, index) => process.env['DEEP'] || index % 12 === 0)) {
      const encoded = encodeURIComponent(text.toWellFormed());
      note(text, await browser.post(`/api/lists/${encoded}/echo`, { text }));
      note(text, await browser.post(`/api/lists/${id}/${encoded}`, { text }));
      note(text, await browser.post(`/api/tools/${encoded}`, {}));
      note(text, await browser.get(`/api/lists/${id}/find?${encoded}=${encoded}&text=${encoded}`));
      note(text, await browser.get(`/api/lists?access=${encoded}`));
    }
    for (const raw of bodies) {
      const headers = { 'content-type': 'application/json' };
      note('bytes', await browser.send('/api/tools/echo', { method: 'POST', raw, headers }));
    }
    expect(faults).toEqual([]);
  });
});
