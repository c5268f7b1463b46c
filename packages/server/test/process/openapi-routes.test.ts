import { action, defineService } from '@x/entity';
import { rules } from '@x/access';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createOAuthServer } from '../support/oauth-server.ts';
import { sampleEntities } from '../support/sample-entities.ts';
import { createTestDatabase, createTestServer } from '../support/test-server.ts';

const clock = defineService({
  name: 'clock',
  actions: { now: action({ output: z.date(), rule: rules.public, handler: ({ now }) => now }) },
});

const everything = {
  entities: sampleEntities,
  services: [clock],
  auth: {
    emailVerification: { enabled: true, onSend: () => undefined },
    passwordReset: { enabled: true, onSend: () => undefined },
    mfa: { enabled: true },
    tenant: { list: () => [], isMember: () => true },
  },
};

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

function parse({ text }: { readonly text: string }): Document {
  return JSON.parse(text) as Document;
}

it('describes every route of the server in the OpenAPI document, and no other', async () => {
  const { server, client } = await createOAuthServer({
    ...everything,
    database: createTestDatabase('memory', sampleEntities),
  });
  const { paths } = parse(await client().get('/api/openapi.json'));
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = server.app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${toTemplate(path)}`)
    // The files of the page.
    .filter((route) => !route.startsWith('GET /api/docs/'));
  expect(described.toSorted()).toEqual([...new Set(served)].toSorted());
  expect(described).toEqual(expect.arrayContaining(['POST /api/clock/now', 'GET /api/auth/oauth/{provider}/callback']));
});

function toTemplate(path: string): string {
  return path.replace(/\/oauth\/(google|github|discord|company)\b/, '/oauth/{provider}').replaceAll(/:(\w+)/g, '{$1}');
}

it('returns the same OpenAPI document and ETag until it stops, and 304 if a client has it', async () => {
  const { client } = await createTestServer({ entities: sampleEntities });
  const first = await client().get('/api/openapi.json');
  const tag = first.headers.get('etag') ?? '';
  expect(first.status).toBe(200);
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-request-id': expect.any(String),
  });
  expect((await client().get('/api/openapi.json')).text).toBe(first.text);
  const again = await client().get('/api/openapi.json', { headers: { 'if-none-match': `W/"x", W/${tag}` } });
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  expect((await client().post('/api/openapi.json')).status).toBe(405);
});

it('describes the app in the OpenAPI document as configured', async () => {
  const { client } = await createTestServer({ openapi: { title: 'Tracker', version: '2.0.0' } });
  expect(JSON.parse((await client().get('/api/openapi.json')).text)).toMatchObject({
    info: { title: 'Tracker', version: '2.0.0' },
  });
});

it('serves neither OpenAPI document nor reference page if they are turned off', async () => {
  const { client } = await createTestServer({ openapi: false });
  const paths = ['/api/openapi.json', '/api/docs', '/api/docs/scalar.js', '/api/docs/start.js'];
  const responses = await Promise.all(paths.map((path) => client().get(path)));
  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
});

it('serves a reference page that loads scripts of its own origin alone', async () => {
  const { server } = await createTestServer();
  const page = await server.fetch(new Request('http://localhost/api/docs'));
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
  expect(await page.text()).not.toMatch(/https?:|<script>|\son\w+=/);
});

it.each([
  ['gzip, deflate, br', 'gzip'],
  ['*', 'gzip'],
  ['br', null],
  ['gzip;q=0, *', null],
  [null, null],
])('compresses large responses according to Accept-Encoding: %s', async (accepted, encoding) => {
  const { server } = await createTestServer();
  for (const path of ['/api/openapi.json', '/api/docs/scalar.js']) {
    const headers = { ...(accepted !== null && { 'accept-encoding': accepted }) };
    const response = await server.fetch(new Request(`http://localhost${path}`, { headers }));
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, encoding]);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    const body = Buffer.from(await response.arrayBuffer());
    const text = encoding === null ? body.toString() : gunzipSync(body).toString();
    expect(text).toMatch(/^(\{"openapi"|\(function\(\))/);
  }
});
