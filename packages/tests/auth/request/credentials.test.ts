import { defineAccess, rules } from '@x/access';
import { createAuth, type Credential } from '@x/auth';
import { principal, requireRole, requireSession } from '@x/auth/guards';
import { action, defineService, toEntityTables } from '@x/entity';
import { CodedError, ConfigurationError, unwrap } from '@x/errors';
import { createOrganizations } from '@x/organizations';
import type { UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { refusalOf } from '../../support/refusal-of.ts';
import { sampleEntities } from '../../support/sample-entities.ts';
import type { TestRequest } from '../../support/test-client.ts';
import { createTestServer } from '../../support/test-server.ts';

const definition = defineAccess({
  entities: { organization: { roles: ['owner', 'member'] } },
  entitlements: {
    'organization:read': { roles: ['owner', 'member'] },
    'organization:manage': { roles: ['owner'] },
    'organization:invite': { roles: ['owner'] },
  },
});

/** Tells who the caller of a request is, at once or when it is over. */
const createCallers = (over: Promise<void>) =>
  defineService({
    name: 'callers',
    actions: {
      wait: action({
        method: 'GET',
        rule: rules.authenticated(),
        output: z.strictObject({}),
        handler: () => over.then(() => ({})),
      }),
      me: action({
        rule: rules.authenticated(),
        output: z.strictObject({ userId: z.string(), role: z.string().nullable() }),
        handler: ({ caller }) => ({ userId: caller.userId ?? '', role: caller.role }),
      }),
    },
  });

/** A server that knows API keys, and the key of a user who has signed up, in the organization of their own. */
async function createWorld() {
  const owners = new Map<string, { userId: string; tenantId: string | null; role: string }>();
  const apiKey: Credential = {
    name: 'api-key',
    isCsrfExempt: true,
    read: (headers) => headers.get('x-api-key'),
    verify: async (key) => owners.get(key) ?? null,
  };
  const organizations = createOrganizations({
    definition,
    personal: () => ({ name: 'Home' }),
    invitations: { onSend() {} },
  });
  const entities = sampleEntities.filter(({ name }) => name === 'notes');
  const over = Promise.withResolvers<void>();
  const clock = new ManualClock();
  const tables = toEntityTables([...organizations.models, ...entities.map(({ model }) => model)]);
  const database = { clock, open: () => createMemoryStores({ patience: patient, clock, entities: tables }) };
  const test = await createTestServer({
    ...{ database, entities, organizations, access: { definition }, services: [createCallers(over.promise)] },
    auth: { credentials: [apiKey] },
  });
  const browser = test.client();
  const ada = { email: 'ada@example.com', password: 'correct horse battery' };
  const userId = (await browser.post('/api/auth/signup', ada)).body.user.id as UserId;
  const { tenantId } = (await test.server.stores.users.findById(userId))!;
  owners.set('key-of-ada', { userId, tenantId, role: 'service' });
  const headers = { 'x-api-key': 'key-of-ada', cookie: null, origin: null, 'x-app-request': null };
  const send = (method: string, path: string, body?: object, key?: string | null) =>
    test.client().send(path, {
      method,
      ...(body && { body }),
      headers: { ...headers, ...(key !== undefined && { 'x-api-key': key }) },
    } satisfies TestRequest);
  return { ...test, over, browser, userId, tenantId, headers: new Headers({ 'x-api-key': 'key-of-ada' }), send };
}

describe('a credential of the app', () => {
  it('says who a request is from, without a session', async () => {
    const { send, userId, tenantId, server, headers } = await createWorld();
    const owner = { userId, tenantId, role: 'service', credential: 'api-key' };
    expect((await send('GET', '/api/auth/session')).body).toEqual({ session: null, principal: owner });
    expect(unwrap(await server.auth.api.getPrincipal(headers))).toMatchObject(owner);
    expect(unwrap(await server.auth.api.getSession(headers))).toBeNull();
    expect((await send('GET', '/api/auth/session', undefined, 'another')).body).toEqual({ session: null });
    expect(refusalOf(await send('GET', '/api/auth/access-set', undefined, 'another'))).toBe('UNAUTHENTICATED');
    expect((await send('GET', '/api/auth/access-set')).status).toBe(200);
  });

  it('acts for its owner on entities and services, from anywhere', async () => {
    const { send, userId, browser } = await createWorld();
    const created = await send('POST', '/api/notes', { title: 'By key' });
    expect([created.status, created.body]).toMatchObject([201, { title: 'By key', ownerId: userId }]);
    expect((await browser.get('/api/notes')).body.items).toMatchObject([{ title: 'By key' }]);
    expect((await send('GET', '/api/notes')).body.items).toHaveLength(1);
    expect((await send('POST', '/api/callers/me', {})).body).toEqual({ userId, role: 'service' });
    expect(refusalOf(await send('GET', '/api/notes', undefined, 'another'))).toBe('UNAUTHENTICATED');
    expect(refusalOf(await send('POST', '/api/notes', { title: 'x' }, 'another'))).toBe('CSRF_FAILED');
  });

  it('is the actor of its changes', async () => {
    const { send, userId, tenantId } = await createWorld();
    const path = `/api/organizations/${tenantId}`;
    expect((await send('POST', `${path}/invite`, { email: 'bob@example.com', role: 'member' })).status).toBe(200);
    const { items } = (await send('GET', `${path}/events`)).body;
    expect(items).toContainEqual(
      expect.objectContaining({ type: 'invitation.sent', detail: expect.objectContaining({ by: userId }) }),
    );
  });

  it('is refused by name at routes that need a session', async () => {
    const { send } = await createWorld();
    for (const [method, path] of [
      ['GET', '/api/auth/sessions'],
      ['DELETE', '/api/auth/sessions'],
      ['GET', '/api/auth/events'],
      ['GET', '/api/auth/tenants'],
    ] as const) {
      const { status, body } = await send(method, path);
      expect([status, body], path).toMatchObject([
        401,
        { error: { code: 'UNAUTHENTICATED', message: expect.stringContaining('api-key') } },
      ]);
    }
  });

  it('counts for its owner where requests wait', async () => {
    const { send, server, over } = await createWorld();
    const responses = Array.from({ length: 200 }, () => send('GET', '/api/callers/wait'));
    await expect.poll(() => server.admission.inFlight().waiting).toBeGreaterThan(0);
    over.resolve();
    for (const { status } of await Promise.all(responses)) expect(status).toBe(200);
  });

  it('passes guards of plain requests, and those for a role, but not those for a session', async () => {
    const { server, headers, userId } = await createWorld();
    const request = { method: 'GET', url: 'http://localhost:3000/', headers };
    expect(await principal(server.auth, request)).toMatchObject({ userId, credential: 'api-key' });
    expect(await requireRole(server.auth, request, 'service')).toMatchObject({ userId });
    await expect(requireRole(server.auth, request, 'admin')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(requireSession(server.auth, request)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('is not asked where a JWT is presented, and needs a page of the app where a cookie comes with it', async () => {
    const { browser, headers, server } = await createWorld();
    const cookie = `app.sid=${browser.cookies.get('app.sid')}`;
    const both = new Headers({ 'x-api-key': 'key-of-ada', cookie });
    expect(unwrap(await server.auth.api.getPrincipal(both))).toMatchObject({ credential: 'cookie', role: 'user' });
    both.set('cookie', 'app.sid=forged');
    expect(unwrap(await server.auth.api.getPrincipal(both))).toBeNull();
    const foreign = { 'x-api-key': 'key-of-ada', origin: 'https://evil.example', 'x-app-request': null };
    expect(refusalOf(await browser.post('/api/notes', { title: 'x' }, { headers: foreign }))).toBe('CSRF_FAILED');
    expect(headers.has('cookie')).toBe(false);
  });
});

describe('credentials', () => {
  it('may be bearer tokens, beside the JWTs of sessions', async () => {
    const apiKey: Credential = {
      name: 'api-key',
      isCsrfExempt: true,
      read: (headers) => /^Bearer (xk_\w+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? null,
      verify: (key) => (key === 'xk_robot' ? { userId: 'robot', tenantId: null, role: 'service' } : null),
    };
    const { client } = await createTestServer({ entities: sampleEntities, auth: { credentials: [apiKey] } });
    const browser = client();
    await browser.post('/api/auth/signup', { email: 'ada@example.com', password: 'correct horse battery' });
    const credentialOf = async (token: string | undefined) => {
      const { body } = await client().get('/api/auth/session', { headers: { authorization: `Bearer ${token}` } });
      return body.session ? 'a session' : (body as { principal?: { credential: string } }).principal?.credential;
    };
    expect(await credentialOf('xk_robot')).toBe('api-key');
    expect(await credentialOf(browser.cookies.get('app.sid'))).toBe('a session');
    for (const unknown of ['xk_other', 'robot', 'a.b.c', 'xk_robot.b.c']) {
      expect(await credentialOf(unknown)).toBeUndefined();
    }
    const headers = { authorization: 'Bearer xk_robot', origin: 'https://evil.example', 'x-app-request': null };
    expect((await client().post('/api/notes', { title: 'x' }, { headers })).status).toBe(201);
  });

  it('that fail are faults of the server, and coded errors are responses', async () => {
    let thrown: Error = new TypeError('The key store is gone.');
    const broken: Credential = {
      name: 'broken',
      read: (headers) => headers.get('x-broken'),
      verify: () => Promise.reject(thrown),
    };
    const { client } = await createTestServer({ auth: { credentials: [broken] } });
    const headers = { 'x-broken': '1' };
    expect(refusalOf(await client().get('/api/auth/session', { headers }))).toBe('INTERNAL_ERROR');
    thrown = new CodedError('SERVICE_UNAVAILABLE', 'The key store does not answer.', { retryAfter: 5 });
    expect(refusalOf(await client().get('/api/auth/sessions', { headers }))).toBe('SERVICE_UNAVAILABLE');
    expect(refusalOf(await client().get('/api/auth/sessions'))).toBe('UNAUTHENTICATED');
  });

  it('need the headers of a page unless they say that browsers never send them', async () => {
    const certificate: Credential = {
      name: 'certificate',
      read: (headers) => headers.get('x-client-cert'),
      verify: () => ({ userId: 'machine', tenantId: null, role: 'service' }),
    };
    const { client } = await createTestServer({
      entities: sampleEntities,
      auth: { credentials: [certificate] },
    });
    const headers = { 'x-client-cert': 'cn=machine' };
    const foreign = { ...headers, origin: 'https://evil.example', 'x-app-request': null };
    expect(refusalOf(await client().post('/api/notes', { title: 'x' }, { headers: foreign }))).toBe('CSRF_FAILED');
    expect((await client().post('/api/notes', { title: 'x' }, { headers })).status).toBe(201);
  });

  it('have names of their own', async () => {
    const named = (name: string): Credential => ({ name, read: () => null, verify: () => null });
    const create = (credentials: readonly Credential[]) =>
      createAuth({ production: false, session: { strategy: 'jwt', algorithm: 'ES256' }, credentials });
    await expect(create([named('cookie')])).rejects.toThrow('credentials: two are called cookie.');
    await expect(create([named('a'), named('a')])).rejects.toThrow(ConfigurationError);
  });
});
