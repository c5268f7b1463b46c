import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startHere } from '../support/demo-in-process.ts';
import { findPage } from '../support/find-page.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const paths = ['/', '/auth/error', '/verify', '/reset', '/mfa', '/projects', '/projects/any', '/organization/members'];

async function start(variables: Readonly<Record<string, string>> = {}): Promise<string> {
  return startHere({ PAGE_FOLDER: await findPage(), ...variables });
}

/** The addresses in the page that it loads something from. */
async function findLoaded(origin: string): Promise<readonly string[]> {
  const html = await (await fetch(origin)).text();
  return Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, address = '']) => address);
}

it.each(paths)('serves the page at %s, with a policy that allows only files of its own origin', async (path) => {
  const origin = await start();
  const answer = await fetch(origin + path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('cache-control')).toBe('no-cache');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("style-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|data:|https?:|\*/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  expect(await answer.text()).toContain('<div id="root">');
});

it('serves a page that contains nothing inline and nothing of another origin', async () => {
  const origin = await start();
  const html = await (await fetch(origin)).text();
  expect(html).not.toMatch(/<style|style=|<script(?![^>]* src=)| on\w+=/);
  const loaded = await findLoaded(origin);
  expect(loaded).toHaveLength(3);
  for (const address of loaded) expect(address).toMatch(/^\/assets\/[\w-]+-[\w-]{8}\.(js|css|svg)$/);
});

it('lets browsers cache its files for a year, and names their types', async () => {
  const origin = await start();
  const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' };
  for (const address of await findLoaded(origin)) {
    const answer = await fetch(origin + address);
    expect([answer.status, (await answer.text()).length > 100]).toEqual([200, true]);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('content-type')).toBe(types[address.split('.').at(-1) as 'js']);
  }
});

it('serves a page that contains nothing of the server, and loads little', async () => {
  const origin = await start();
  const script = (await findLoaded(origin)).find((address) => address.endsWith('.js')) ?? '';
  const text = await (await fetch(origin + script)).text();
  expect(text).toContain('/access-set');
  // Traces of the schemas, the statements and the definition of access.
  expect(text).not.toMatch(/ZodError|SELECT |organization:member|argon2/);
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(95_000);
});

it('has screens in files of their own, all of them small together', async () => {
  const folder = join(await findPage(), 'assets');
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js.gz'));
  expect(scripts.length).toBeGreaterThan(10);
  const bytes = scripts.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes).toBeLessThan(220_000);
});

it('shows browsers a page with status 404 where there is nothing, and answers programs as the API does', async () => {
  const origin = await start();
  const ask = (path: string, accept: string): Promise<Response> =>
    fetch(origin + path, { headers: { Accept: accept } });
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const page = await ask('/nope', browser);
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(await page.text()).toContain('<div id="root">');
  for (const [path, accept] of [
    ['/nope', 'application/json'],
    ['/api/nope', browser],
    ['/assets/nope.js', browser],
  ] as const) {
    const answer = await ask(path, accept);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  }
  const posted = await fetch(`${origin}/projects`, { method: 'POST', headers: { Accept: browser } });
  expect(posted.status).toBe(405);
});

it.each(['br', 'gzip'])('sends the page and its files in %s to browsers that accept it', async (coding) => {
  const origin = await start();
  for (const path of ['/', ...(await findLoaded(origin))]) {
    // The client of the tests decompresses by itself.
    const plain = await fetch(origin + path, { headers: { 'Accept-Encoding': 'identity' } });
    const packed = await fetch(origin + path, { headers: { 'Accept-Encoding': coding } });
    expect([packed.status, packed.headers.get('content-encoding')]).toEqual([200, coding]);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect([plain.headers.get('vary'), packed.headers.get('vary')]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
    const text = await plain.text();
    expect(await packed.text()).toBe(text);
    expect(Number(plain.headers.get('content-length'))).toBe(Buffer.byteLength(text));
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(Buffer.byteLength(text));
    expect(packed.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  }
});

it('does not send the page again to a browser that has it', async () => {
  const origin = await start();
  const tag = (await fetch(origin)).headers.get('etag') ?? '';
  expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
  const again = await fetch(origin, { headers: { 'If-None-Match': tag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect((await fetch(origin, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
});

it('answers HEAD as GET, and no other method', async () => {
  const origin = await start();
  for (const path of [...paths, ...(await findLoaded(origin))]) {
    const head = await fetch(origin + path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await fetch(origin + path, { method });
      expect([path, method, status, headers.get('allow')]).toEqual([path, method, 405, 'GET, HEAD']);
    }
  }
});

it.each([
  '/assets/',
  '/assets/nothing.js',
  '/assets/..%2findex.html',
  '/assets/%2e%2e/index.html',
  '/assets/....//index.html',
  '/assets/..%5cindex.html',
  '/assets/%00',
  '/assets/constructor',
  '/assets/index.js.br',
  '/index.html',
  '/main.tsx',
  '/verify/',
  '/nothing',
])('does not serve %s', async (path) => {
  expect((await fetch((await start()) + path)).status).toBe(404);
});

describe('the page', () => {
  it.each([
    [{}, 'outbox mfa emailVerification passwordReset'],
    [{ MFA: 'false', EMAIL_VERIFICATION: 'false', PASSWORD_RESET: 'false' }, 'outbox'],
  ])('receives the list of features that are on (%j: %s)', async (variables, features) => {
    const html = await (await fetch(await start(variables))).text();
    expect(html).toContain(`<meta name="features" content="${features}" />`);
  });
});

it('offers no outbox in production, and is served over https only', async () => {
  const production = { NODE_ENV: 'production', BASE_URL: 'https://tracker.example' };
  const answer = await fetch(await start(production));
  expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
  expect(await answer.text()).toContain('content="mfa emailVerification passwordReset"');
});

it('serves only the API if the page was not built', async () => {
  const folder = makeFolder();
  mkdirSync(`${folder}/empty`);
  for (const PAGE_FOLDER of [`${folder}/empty`, `${folder}/missing`]) {
    const origin = await startHere({ PAGE_FOLDER });
    expect((await fetch(origin)).status).toBe(404);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  }
});
