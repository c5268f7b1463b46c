import { rules } from '@x/access';
import { action, defineService } from '@x/entity';
import { CodedError } from '@x/errors';
import { type Stores, storeUnavailable } from '@x/store';
import { expect, it } from 'vitest';
import { providersOf } from '../../support/oauth-server.ts';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { sampleEntities } from '../../support/sample-entities.ts';
import { TestClient, type TestRequest, type TestResponse } from '../../support/test-client.ts';
import { createTestDatabase, createTestServer } from '../../support/test-server.ts';

const tools = defineService({
  name: 'tools',
  actions: {
    file: action({ rule: rules.public, handler: () => new Response('1', { headers: { 'Content-Type': 'text/csv' } }) }),
    fail: action({
      rule: rules.public,
      handler: () => {
        throw new Error('secret');
      },
    }),
  },
});

/** Stores whose every step fails with what is set here, if anything is. */
interface Outage {
  thrown: unknown;
}

function failing<Target extends object>(target: Target, outage: Outage): Target {
  return new Proxy(target, {
    get(stores, name) {
      const member: unknown = Reflect.get(stores, name);
      if (name === 'clock' || member === null) return member;
      if (typeof member === 'object') return failing(member, outage);
      if (typeof member !== 'function') return member;
      return (...values: readonly unknown[]): unknown =>
        outage.thrown === undefined ? Reflect.apply(member, stores, values) : Promise.reject(outage.thrown);
    },
  });
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

/** Odd parts of a request, besides its method. */
const oddities: readonly TestRequest[] = [
  { body: {} },
  { body: { email: 'ada@example.com', password: 'correct horse battery', title: 'a', code: '000000', tenantId: 'a' } },
  { body: {}, headers: { origin: 'https://evil.example' } },
  { body: {}, headers: { 'x-app-request': null } },
  { body: {}, headers: { 'content-type': 'text/plain' } },
  { raw: '{' },
  { body: {}, headers: { 'content-length': '300000' } },
  { body: {}, headers: { cookie: 'app.sid=x; app.ref=y' } },
  { body: {}, headers: { 'if-match': '"7"', 'if-none-match': '*' } },
];

/** Other spellings of a path that lead to the same route, or to one below it. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path.replace(/^\/api\/(.)/, (_, first: string) => `/api/%${first.charCodeAt(0).toString(16)}`),
  (path) => `${path}#fragment`,
  (path) => `${path}?unknown=1#fragment`,
  (path) => `${path}/`,
  (path) => `${path}/%zz`,
];

/** The errors that the stores throw; one is no `Error`. */
const outages: readonly unknown[] = [
  storeUnavailable(),
  new Error('SELECT secret'),
  'SELECT secret',
  new CodedError('RATE_LIMITED', 'There were too many.', { retryAfter: 1 }),
];

it('is on every response of every route of auth and of entities, with any status and method', async () => {
  const outage: Outage = { thrown: undefined };
  const database = createTestDatabase('memory', sampleEntities);
  const fake = await startFakeProvider(() => database.clock.now());
  const { server } = await createTestServer({
    database: { ...database, open: (): Stores => failing(database.open(), outage) },
    entities: sampleEntities,
    services: [tools],
    auth: {
      ...providersOf(fake),
      trustedOrigins: ['https://a.example'],
      emailVerification: { enabled: true, onSend: () => undefined },
      passwordReset: { enabled: true, onSend: () => undefined },
      mfa: { enabled: true },
      tenant: { list: () => [], isMember: () => true },
    },
  });
  const seen = new Set<number>();
  const lost: string[] = [];
  let addresses = 0;
  const createClient = (): TestClient => {
    addresses += 1;
    const remoteAddress = `10.0.${addresses >> 8}.${addresses & 255}`;
    return new TestClient('http://localhost:3000', (request) =>
      server.fetch(request, { incoming: { socket: { remoteAddress } } }),
    );
  };
  const send = async (client: TestClient, path: string, request: TestRequest): Promise<TestResponse> => {
    const body = request.method === 'GET' || request.method === 'HEAD' ? { raw: undefined, body: undefined } : {};
    const response = await client.send(path, { ...request, ...body } as TestRequest);
    seen.add(response.status);
    const expected = path.startsWith('/api/auth') || path.startsWith('/api/%61uth') ? 'no-store' : 'private, no-store';
    const found = response.headers.get('cache-control');
    if (found !== expected) lost.push(`${request.method} ${path}: ${response.status} ${found}`);
    return response;
  };
  const signUp = async (name: string = crypto.randomUUID()): Promise<TestClient> => {
    const client = createClient();
    const account = { email: `${name}@example.com`, password: 'correct horse battery' };
    await send(client, '/api/auth/signup', { method: 'POST', body: account });
    return client;
  };

  const owner = await signUp('owner');
  await signUp('owner');
  const note = await send(owner, '/api/notes', { method: 'POST', body: { title: 'a' } });
  const routes = server.app.routes.filter(
    ({ method, path }) => method !== 'ALL' && !/^\/api\/(openapi|docs)|z$/.test(path),
  );
  for (const { method, path: template } of routes) {
    const path = template.replace(':id', note.body.id).replaceAll(/:\w+/g, 'x');
    const client = await signUp();
    for (const oddity of oddities) {
      await send(createClient(), path, { method, ...oddity });
      await send(client, path, { method, ...oddity });
    }
    for (const other of methods) await send(client, path, { method: other });
    for (const respell of spellings) await send(client, respell(path), { method, body: {} });
    const preflight = { origin: 'https://a.example', 'access-control-request-method': method };
    await send(client, path, { method: 'OPTIONS', headers: preflight });
    const another = await signUp();
    for (const thrown of outages) {
      outage.thrown = thrown;
      await send(another, path, { method, body: oddities[1]?.body });
      await send(another, path, { method, body: {} });
      outage.thrown = undefined;
    }
  }
  const accessSet = await send(owner, '/api/auth/access-set', { method: 'GET' });
  const tag = { 'if-none-match': accessSet.headers.get('etag') };
  await send(owner, '/api/auth/access-set', { method: 'GET', headers: tag });
  await send(owner, `/api/notes/${note.body.id}`, { method: 'DELETE' });
  const stopping = server.close();
  for (const { method, path } of routes) await send(owner, path, { method });
  await stopping;

  expect(lost).toEqual([]);
  expect(routes.length).toBeGreaterThan(60);
  const statuses = [200, 201, 204, 302, 400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503];
  expect([...seen].toSorted((a, b) => a - b)).toEqual(expect.arrayContaining(statuses));
});
