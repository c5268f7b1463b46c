import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lookUp } from '@x/test-support/lookup';
import { compile, runCommand } from '@x/test-support/packed';
import { beforeAll, expect, inject, it } from 'vitest';
import type { TestClient, TestResponse } from '../support/test-client.ts';
import { type Example, openExample, whileRunning } from './example-program.ts';

// The frameworks of examples/, as npm has them, with the packed packages: each serves the same routes, and greets its
// user.

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** JWTs that expire within a test. */
const shortLived = { 'session: {': "session: { ttl: '2s'," };

beforeAll(async () => void (await lookUp(inject('examplesLookup'), 'No examples')), 240_000);

/** A route of each app below `/api`, added where its framework starts to listen; in Fastify, a page for all. */
const ownRoutes = {
  node: {
    'response.end(`Hello': "if (request.url === '/api/reports') response.end('[]');\n  else response.end(`Hello",
  },
  hono: { 'await listen(': "server.app.get('/api/reports', (c) => c.json([]));\nawait listen(" },
  express: {
    'import { errorHandler,': 'import { requireSession, errorHandler,',
    'app.use(errorHandler)':
      "app.get('/api/reports', (_request, response) => void response.json([]));\n" +
      "app.post('/', async (request, response) => response.json(await sessionOf(server, request, response)));\n" +
      "app.get('/me', async (request, response) => response.json(await requireSession(server, request, response)));\n" +
      'app.use(errorHandler)',
  },
  fastify: {
    'import { errorHandler,': 'import { requireSession, errorHandler,',
    'await app.listen(':
      "app.get('/*', async () => 'page');\n" +
      "app.get('/api/reports', async () => []);\n" +
      "app.post('/', async (request, reply) => sessionOf(server, request, reply));\n" +
      "app.get('/me', async (request, reply) => requireSession(server, request, reply));\n" +
      'await app.listen(',
  },
} as const;

it.concurrent.for(['node', 'hono', 'express', 'fastify'] as const)(
  'keeps users signed in on pages of %s, with at most 10 lines of glue',
  { timeout: 300_000 },
  async (name) => {
    const example = await openExample(name, { ...shortLived, ...ownRoutes[name] });
    expect(linesOfGlue(example, ['main.ts'])).toBeLessThanOrEqual(10);
    await whileRunning(example, ['main.ts'], async (browser) => {
      await visit(browser, 3);
      if (name === 'express' || name === 'fastify') await expectOneErrorShape(browser);
      await leave(browser);
    });
  },
);

it('keeps users signed in on pages of SvelteKit', { timeout: 180_000 }, async () => {
  const example = await openExample('sveltekit', shortLived);
  const glue = ['src/hooks.server.ts', 'src/routes/api/[...path]/+server.ts', 'src/routes/+page.server.ts'];
  expect(linesOfGlue(example, glue)).toBeLessThanOrEqual(10);
  writeOwnRoute(example, 'src/routes/api/reports/+server.ts');
  await runCommand(example.folder, 'npm', ['run', 'build']);
  await compile(example.folder);
  await whileRunning(example, ['build'], async (browser) => {
    await visit(browser, 3);
    await leave(browser);
  });
});

const [minutes, bundlers] = process.env['DEEP'] ? [60, ['--turbopack', '--webpack']] : [10, ['--turbopack']];

it(
  `keeps users signed in for ${minutes} minutes of pages that Next renders, built by ${bundlers.join(' and ')}`,
  { timeout: 560_000 },
  async () => {
    // A minute of the app takes a second, in every copy of the module that Next loads.
    const [start, speed] = [Date.now(), 60];
    const clock = `{ now: () => new Date(${start} + (Date.now() - ${start}) * ${speed}) }`;
    const example = await openExample('next', {
      "path: 'app.db'": `path: 'app.db', clock: ${clock}`,
      // So that an action meets a session that no proxy has refreshed.
      "matcher: '/((?!api/|_next/).*)'":
        "matcher: [{ source: '/((?!api/|_next/).*)', missing: [{ type: 'header', key: 'x-no-proxy' }] }]",
    });
    expect(linesOfGlue(example, ['proxy.ts', 'app/api/[...path]/route.ts'])).toBeLessThanOrEqual(10);
    writeOwnRoute(example, 'app/api/reports/route.ts');
    const next = 'node_modules/next/dist/bin/next';
    for (const bundler of bundlers) {
      for (const end of ['', '-wal', '-shm']) rmSync(join(example.folder, `app.db${end}`), { force: true });
      await runCommand(example.folder, 'node', [next, 'build', bundler]);
      expect(existsSync(join(example.folder, 'app.db'))).toBe(false);
      await whileRunning(example, [next, 'start', '-p', `${example.port}`], async (browser) => {
        await visit(browser, minutes, 60_000 / speed);
        const tabs = await Promise.all([1, 2, 3].map(() => browser.post('/api/auth/refresh')));
        expect(tabs.map(({ status }) => status)).toEqual([200, 200, 200]);
        const { items } = (await browser.get('/api/auth/events?limit=100')).body;
        expect(items.map(({ type }) => type)).toEqual(['user.created']);
        await writeByAction(browser, 60_000 / speed);
        await leave(browser);
        await signInByAction(browser);
      });
    }
  },
);

/** Signs up, and loads pages in parallel each time a JWT has expired; every other page takes its cookies with it. */
async function visit(browser: TestClient, times: number, ttlMs = 2000): Promise<void> {
  expect(greetedIn(await browser.get('/'))).toBe('stranger');
  expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
  const successors = new Set<string | undefined>();
  for (let page = 0; page < times; page++) {
    await sleep(ttlMs + 100);
    const before = new Map(browser.cookies);
    const pages = await Promise.all(Array.from({ length: 6 }, () => browser.get('/')));
    expect(pages.map(greetedIn)).toEqual(Array.from({ length: 6 }, () => ada.email));
    successors.add(browser.cookies.get('app.ref'));
    if (page % 2 === 1) for (const [name, value] of before) browser.cookies.set(name, value);
  }
  expect(successors.size).toBeGreaterThanOrEqual(Math.floor(times / 2));
}

/** Tries guarded routes of the app, as a visitor and from elsewhere, and one that neither it nor the server has. */
async function expectOneErrorShape(browser: TestClient): Promise<void> {
  expect((await browser.post('/')).body).toMatchObject({ user: { email: ada.email } });
  expect((await browser.get('/me')).body).toMatchObject({ user: { email: ada.email } });
  const visited = await browser.get('/me', { headers: { cookie: null } });
  expect([visited.status, visited.body.error.code]).toEqual([401, 'UNAUTHENTICATED']);
  const foreign = await browser.post('/', undefined, { headers: { origin: 'https://evil.example' } });
  expect([foreign.status, foreign.headers.get('cache-control')]).toEqual([403, 'no-store']);
  const message =
    'The request was not sent by a page of this application. ' +
    'Its Origin https://evil.example is not that of baseUrl or a trusted one.';
  expect(foreign.body).toEqual({ error: { code: 'CSRF_FAILED', message } });
  const nothing = await browser.post('/api/nothing');
  expect([nothing.status, nothing.headers.has('x-request-id')]).toEqual([404, false]);
}

/** Writes by the form of a page, also once the JWT has expired, and from elsewhere. */
async function writeByAction(browser: TestClient, ttlMs: number): Promise<void> {
  const action = await actionOf(browser, '/');
  const send = (title: string, headers: Readonly<Record<string, string | null>> = {}) =>
    sendForm(browser, '/', { [action]: '', title }, headers);
  expect((await send('Fresh')).status).toBe(200);
  await sleep(ttlMs + 100);
  const renewed = await send('Renewed');
  expect(renewed.headers.getSetCookie().map((cookie) => cookie.split('=', 1)[0])).toEqual(['app.sid', 'app.ref']);
  expect((await send('Without origin', { origin: null })).status).toBe(500);
  expect((await send('From elsewhere', { origin: 'https://evil.example' })).status).toBe(500);
  expect((await send('Of a stranger', { cookie: null })).status).toBe(500);
  const { text } = await browser.get('/');
  expect([...text.matchAll(/<li>(.*?)<\/li>/g)].map(([, title]) => title)).toEqual(['Fresh', 'Renewed']);
}

/** Signs in by the form of a page. */
async function signInByAction(browser: TestClient): Promise<void> {
  const action = await actionOf(browser, '/sign-in');
  const wrong = await sendForm(browser, '/sign-in', { [action]: '', ...ada, password: 'wrong horse battery' });
  expect([wrong.status, wrong.headers.get('location')]).toEqual([303, '/sign-in?error=INVALID_CREDENTIALS']);
  const signedIn = await sendForm(browser, '/sign-in', { [action]: '', ...ada });
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/']);
  expect(greetedIn(await browser.get('/'))).toBe(ada.email);
}

/** Returns the field that names the action of the first form of a page. */
async function actionOf(browser: TestClient, path: string): Promise<string> {
  return /name="(\$ACTION_ID_\w+)"/.exec((await browser.get(path)).text)?.[1] ?? 'none';
}

/** Sends a form as a browser without scripts does, past the proxy. */
async function sendForm(
  browser: TestClient,
  path: string,
  values: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string | null>> = {},
): Promise<TestResponse> {
  const parts = Object.entries(values).map(
    ([name, value]) => `--of-form\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const own = { 'content-type': 'multipart/form-data; boundary=of-form', 'x-app-request': null, 'x-no-proxy': '1' };
  return browser.post(path, undefined, { raw: `${parts.join('')}--of-form--\r\n`, headers: { ...own, ...headers } });
}

/** Tries routes that only the server itself serves, and requests that it refuses, and signs out. */
async function leave(browser: TestClient): Promise<void> {
  expect((await browser.send('/api/auth/session', { method: 'HEAD' })).status).toBe(200);
  expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  expect((await browser.get('/api/auth/nothing')).body.error.code).toBe('NOT_FOUND');
  expect((await browser.get('/api/reports')).text).toBe('[]');
  const foreign = { headers: { origin: 'https://evil.example' } };
  expect((await browser.post('/api/auth/signout', undefined, foreign)).status).toBe(403);
  expect((await browser.post('/api/auth/signin', { ...ada, password: 'wrong horse battery' })).status).toBe(401);
  expect((await browser.post('/api/auth/signout')).status).toBe(200);
  expect(greetedIn(await browser.get('/'))).toBe('stranger');
}

/** Adds a route of the app below `/api`, beside the file that serves all others there. */
function writeOwnRoute({ folder }: Example, file: string): void {
  mkdirSync(dirname(join(folder, file)));
  writeFileSync(join(folder, file), 'export const GET = () => Response.json([]);\n');
}

/** Returns whom a page greets. React separates texts by comments. */
function greetedIn({ text }: { readonly text: string }): string | undefined {
  return /Hello (?:<!-- -->)?([^<]+)/.exec(text)?.[1];
}

/** Counts the lines that mention the server or its session: the others are the framework's own. */
function linesOfGlue({ folder }: Example, files: readonly string[]): number {
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  return lines.filter((line) => /\b(server|toNodeHandler|session|proxy|matcher|handle)/i.test(line)).length;
}
