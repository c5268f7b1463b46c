import { action, defineService } from '@x/entity';
import { rules } from '@x/access';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createOAuthServer } from '../../support/oauth-server.ts';
import { sampleEntities } from '../../support/sample-entities.ts';
import { createTestDatabase, createTestServer, type TestServer } from '../../support/test-server.ts';

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
  const paths = ['/api/openapi.json', '/api/docs', '/api/docs/scalar.js', '/api/docs/nothing.js'];
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

/** The paths of the scripts that the reference page loads: that of Scalar, and the one that starts it. */
async function findScripts({ server }: TestServer): Promise<readonly string[]> {
  const page = await server.fetch(new Request('http://localhost/api/docs'));
  return Array.from((await page.text()).matchAll(/src="([^"]+)"/g), ([, path = '']) => `/api/${path}`);
}

it('lets browsers keep the scripts of the reference for a year, whose names contain their hash', async () => {
  const test = await createTestServer();
  const paths = await findScripts(test);
  expect(paths).toEqual([
    expect.stringMatching(/^\/api\/docs\/scalar-[0-9a-f]{32}\.js$/),
    expect.stringMatching(/^\/api\/docs\/start-[0-9a-f]{32}\.js$/),
  ]);
  for (const path of paths) {
    const { status, headers } = await test.server.fetch(new Request(`http://localhost${path}`));
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  }
  for (const path of ['/api/docs/scalar.js', '/api/docs/start-.js', '/api/docs/constructor', '/api/docs/']) {
    expect((await test.client().get(path)).status).toBe(404);
  }
});

it.each([
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['*', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0, gzip;q=0, *', null],
  ['deflate', null],
  [null, null],
])('sends the document and the reference as Accept-Encoding says: %s', async (accepted, encoding) => {
  const test = await createTestServer();
  for (const path of ['/api/openapi.json', '/api/docs', ...(await findScripts(test))]) {
    const headers = { ...(accepted !== null && { 'accept-encoding': accepted }) };
    const response = await test.server.fetch(new Request(`http://localhost${path}`, { headers }));
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, encoding]);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    const body = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(body.length));
    expect(unpack(body, encoding)).toMatch(/^(\{"openapi"|<!doctype html>|\(function\(\)|Scalar\.)/);
  }
});

function unpack(body: Buffer, encoding: string | null): string {
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  return (encoding === 'gzip' ? gunzipSync(body) : body).toString();
}

it('gives each encoding its own ETag, with which a client gets 304', async () => {
  const { server } = await createTestServer();
  const ask = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    server.fetch(new Request('http://localhost/api/openapi.json', { headers }));
  const tags = new Set<string>();
  for (const coding of ['br', 'gzip', 'identity']) {
    const headers = { 'accept-encoding': coding };
    const tag = (await ask(headers)).headers.get('etag') ?? '';
    const again = await ask({ ...headers, 'if-none-match': tag });
    expect([again.status, await again.text(), again.headers.get('vary')]).toEqual([304, '', 'Accept-Encoding']);
    tags.add(tag);
  }
  expect(tags.size).toBe(3);
});
