import { rules } from '@x/access';
import { action, defineEntity, defineModel, defineService, type Entity, type Service } from '@x/entity';
import { createServer, type ServerOptions } from '@x/server';
import { createMetrics } from '@x/server/metrics';
import { expect, it } from 'vitest';

const settings: ServerOptions['auth'] = { production: false, session: { strategy: 'jwt' } };
const everybody = {
  list: rules.public,
  get: rules.public,
  create: rules.public,
  update: false,
  delete: false,
} as const;

function entityNamed(name: string): Entity {
  return defineEntity({ model: defineModel(name, { fields: {} }), access: everybody });
}

function serviceNamed(name: string): Service {
  return defineService({ name, actions: { ping: action({ rule: rules.public, handler: () => 'pong' }) } });
}

async function problemsOf(options: Partial<ServerOptions>): Promise<unknown> {
  return createServer({ auth: settings, ...options }).then(
    (server) => server.close(),
    ({ problems }: { readonly problems: readonly string[] }) => problems,
  );
}

it('refuses names at whose paths the server has other routes, and reports them with other problems', async () => {
  expect(
    await problemsOf({
      entities: [entityNamed('auth'), entityNamed('docs')],
      services: [serviceNamed('auth')],
      auth: { ...settings, baseUrl: 'nowhere' },
    }),
  ).toEqual([
    'auth: the routes of auth have this name; give it another one, or auth another basePath.',
    'auth: the routes of auth have this name; give it another one, or auth another basePath.',
    'docs: the page of the OpenAPI document has this name; give it another one, or set openapi to false.',
    expect.stringContaining('baseUrl'),
  ]);
  const auth = { ...settings, basePath: '/api/users/auth' };
  expect(await problemsOf({ entities: [entityNamed('users')], auth })).toEqual([
    expect.stringContaining('users: the routes of auth'),
  ]);
  expect(await problemsOf({ entities: [entityNamed('refresh')], auth: { ...settings, basePath: '/api' } })).toEqual([
    expect.stringContaining('refresh: the routes of auth'),
  ]);
});

it('refuses a basePath of auth where the server has other routes', async () => {
  const withPath = (basePath: string, options: Partial<ServerOptions> = {}): Promise<unknown> =>
    problemsOf({ ...options, auth: { ...settings, basePath } });
  for (const path of ['/healthz', '/readyz', '/healthz/auth', '/api/docs', '/api/openapi.json', '/api/docs/auth']) {
    expect(await withPath(path)).toEqual([expect.stringMatching(/^auth\.basePath: the server has \/[\w./]+; /)]);
  }
  expect(await withPath('/api/live', { live: true })).toEqual([expect.stringContaining('/api/live')]);
  expect(await withPath('/metrics/auth', { metrics: createMetrics() })).toEqual([expect.stringContaining('/metrics;')]);
  expect(await withPath('/metrics')).toBeUndefined();
  expect(await withPath('/healthz-auth')).toBeUndefined();
  expect(await withPath('/api/docs', { openapi: false })).toBeUndefined();
});

it('serves entities and services by any other name', async () => {
  const server = await createServer({
    auth: { ...settings, basePath: '/auth' },
    entities: [entityNamed('openapi'), entityNamed('auth')],
    services: [serviceNamed('docs')],
  });
  const statusOf = async (path: string, method = 'GET'): Promise<number> => {
    const headers = { origin: 'http://localhost:3000', 'x-app-request': '1' };
    return (await server.fetch(new Request(`http://localhost:3000${path}`, { method, headers }))).status;
  };
  expect(await statusOf('/api/openapi')).toBe(200);
  expect(await statusOf('/api/openapi.json')).toBe(200);
  expect(await statusOf('/api/auth')).toBe(200);
  expect(await statusOf('/api/docs')).toBe(200);
  expect(await statusOf('/api/docs/ping', 'POST')).toBe(200);
  await server.close();

  const bare = await createServer({ auth: settings, entities: [entityNamed('docs')], openapi: false });
  const response = await bare.fetch(new Request('http://localhost:3000/api/docs'));
  expect(await response.json()).toMatchObject({ items: [] });
  await bare.close();
});
