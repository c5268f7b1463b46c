import { rules } from '@x/access';
import { action, defineEntity, defineModel, defineService, field } from '@x/entity';
import { sessionOf, toHonoMiddleware } from '@x/server/hono';
import { createMetrics } from '@x/server/metrics';
import fc from 'fast-check';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { TestClient } from '../../support/test-client.ts';
import { createTestServer, type TestServerOptions } from '../../support/test-server.ts';

const open = { list: rules.public, get: rules.public, create: rules.public, update: false, delete: false } as const;
const entities = [defineEntity({ model: defineModel('tasks', { fields: { title: field.text() } }), access: open })];
const services = [
  defineService({ name: 'tools', actions: { ping: action({ rule: rules.public, handler: () => 'pong' }) } }),
];

async function createApp(options: TestServerOptions = {}) {
  const { server } = await createTestServer({ entities, services, ...options });
  server.app.use(async (_c, next) => next());
  server.app.use('/api/*', async (_c, next) => next());
  server.app.get('/pages/:name', (c) => c.text('page'));
  server.app.all('/files/*', (c) => c.text('file'));
  server.app.post('/api/own', (c) => c.text('own'));
  return server;
}

it.each([
  ...['/api/auth', '/api/auth/session', '/api/auth/nothing', '/api/tasks', '/api/tasks/', '/api/tasks/1/nothing'],
  ...['/api/tools', '/api/tools/ping', '/api/openapi.json', '/api/docs', '/api/docs/x.js', '/healthz', '/readyz'],
  ...['/pages/a', '/files', '/files/a/b', '/api/own', '/api/%74asks', '/%61pi/tasks/1', '/x/../api/tasks'],
  ...['/x/%2e%2e/api/tasks', '/api/tasks?limit=1', 'https://app.example.com/api/tasks#top'],
])('says that %s is for the server', async (path) => {
  expect((await createApp()).serves(path)).toBe(true);
});

it.each([
  ...['/', '', '*', '/api', '/api/', '/api/reports', '/api/taskss', '/API/tasks', '/api/live', '//x/api/tasks'],
  ...['/api%2Ftasks', '/api/%2574asks', '/pages', '/pages/a/b', '/pages/a/', '/x/api/tasks', '/?x=/api/tasks', '/%'],
  ...['/api/own/', '/healthzz', '/account/auth/session'],
])('says that %j is for others', async (path) => {
  expect((await createApp()).serves(path)).toBe(false);
});

it('follows the path of auth, and what is served besides', async () => {
  const { serves } = await createApp({ auth: { basePath: '/account/auth' }, openapi: false });
  expect(['/account/auth/nothing', '/api/auth/session', '/api/docs'].map(serves)).toEqual([true, false, false]);
  expect(serves('/metrics')).toBe(false);
  expect((await createApp({ metrics: createMetrics() })).serves('/metrics')).toBe(true);
});

it('agrees with the router of the server on any path', async () => {
  const server = await createApp();
  const known = ['api', 'auth', 'tasks', 'tools', 'ping', 'session', 'pages', 'files', 'own', 'docs', 'healthz', '..'];
  const segment = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...known) },
    fc.constantFrom('', '.', '%', '%2F', '%2e%2E', '%C3', '%25', 'x', '*', ':id'),
  );
  const paths = fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`);
  const methods = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE');
  await fc.assert(
    fc.asyncProperty(paths, methods, fc.nat(), async (path, method, at) => {
      const { status } = await server.fetch(new Request(`http://localhost:3000${path}`, { method }));
      expect(status === 404 || server.serves(path)).toBe(true);
      expect(server.serves(encodeLetter(path, at))).toBe(server.serves(path));
    }),
    { numRuns: 1000 },
  );
});

/** Percent-encodes one letter of a path that has nothing encoded. */
function encodeLetter(path: string, at: number): string {
  const index = at % path.length;
  const letter = path.charAt(index);
  if (path.includes('%') || !/[a-z]/.test(letter)) return path;
  return `${path.slice(0, index)}%${letter.charCodeAt(0).toString(16)}${path.slice(index + 1)}`;
}

it('passes on in a Hono app what is not for the server', async () => {
  const server = await createApp();
  const app = new Hono();
  app.use(toHonoMiddleware(server));
  app.get('/api/reports', (c) => c.json({ items: [{ id: 'own' }] }));
  const browser = new TestClient('http://localhost:3000', (request) => app.fetch(request));
  expect((await browser.get('/api/reports')).body.items).toEqual([{ id: 'own' }]);
  expect((await browser.get('/api/tasks/nothing')).body.error.code).toBe('NOT_FOUND');
  expect((await browser.post('/api/tasks', { title: 'a' })).status).toBe(201);
  expect((await browser.get('/api/nothing')).text).toBe('404 Not Found');
});

it('responds in a Hono app to a write from elsewhere in the one error shape', async () => {
  const session = { strategy: 'jwt', algorithm: 'ES256', cookie: { refreshPath: '/' } } as const;
  const server = await createApp({ auth: { session } });
  const app = new Hono();
  app.post('/own', async (c) => c.json({ session: await sessionOf(server, c) }));
  const browser = new TestClient('http://localhost:3000', (request) => app.fetch(request));
  expect((await browser.post('/own')).body.session).toBeNull();
  const foreign = await browser.post('/own', undefined, { headers: { origin: 'https://evil.example' } });
  expect([foreign.status, foreign.body.error.code]).toEqual([403, 'CSRF_FAILED']);
});
