import { rules } from '@x/access';
import { action, defineService } from '@x/entity';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createEntityServer } from '../../support/entity-server.ts';
import type { TestClient } from '../../support/test-client.ts';

interface Received {
  readonly status: number;
  readonly coding: string | null;
  readonly vary: string | null;
  readonly bytes: Buffer;
}

const handler = (): string => 'a'.repeat(5_000);

const texts = defineService({
  name: 'texts',
  actions: {
    public: action({ rule: rules.public, compressed: true, handler }),
    secret: action({ rule: rules.public, handler }),
  },
});

/** Somebody with a few notes, most of them repetitive, and a function that sends their requests. */
async function createNotes(count: number): Promise<{
  readonly ids: readonly string[];
  readonly send: (line: string, headers?: Readonly<Record<string, string>>, body?: object) => Promise<Received>;
}> {
  const { server, signUp } = await createEntityServer({ services: [texts] });
  const { browser } = await signUp();
  const titles = Array.from({ length: count }, (_, index) => `Note number ${index}`);
  const ids: string[] = [];
  for (const title of titles) ids.push((await browser.post('/api/notes', { title })).body.id);
  return {
    ids,
    async send(line, headers = {}, body) {
      const [method = '', path = ''] = line.split(' ');
      const all = { ...ownHeaders(browser), ...(body && { 'content-type': 'application/json' }), ...headers };
      const init = { method, headers: all, body: body ? JSON.stringify(body) : null };
      const response = await server.fetch(new Request(`http://localhost:3000${path}`, init));
      const { status, headers: received } = response;
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status, coding: received.get('content-encoding'), vary: received.get('vary'), bytes };
    },
  };
}

function ownHeaders({ cookies }: TestClient): Record<string, string> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { cookie, origin: 'http://localhost:3000', 'x-app-request': '1' };
}

it.each([
  ['gzip, deflate, br', 'gzip'],
  ['*', 'gzip'],
  ['gzip;q=0.1', 'gzip'],
  ['gzip;q=0, *', null],
  ['br', null],
  ['identity, gzip;q=0.5', null],
  [null, null],
])('compresses pages of records according to Accept-Encoding: %s', async (accepted, coding) => {
  const { send } = await createNotes(20);
  const headers = { ...(accepted !== null && { 'accept-encoding': accepted }) };
  const plain = await send('GET /api/notes');
  for (const page of [await send('GET /api/notes', headers), await send('POST /api/notes/query', headers, {})]) {
    expect([page.status, page.coding, page.vary]).toEqual([200, coding, 'Accept-Encoding']);
    const content = coding === null ? page.bytes : gunzipSync(page.bytes);
    expect(content.toString()).toBe(plain.bytes.toString());
    expect(page.bytes.length).toBeLessThanOrEqual(plain.bytes.length / (coding === null ? 1 : 4));
  }
});

it('compresses pages of any size, many at once', async () => {
  const { send } = await createNotes(100);
  const plain = await send('GET /api/notes?limit=100');
  expect(plain.bytes.length).toBeGreaterThan(16_384);
  const lines = Array.from({ length: 20 }, () => 'GET /api/notes?limit=100');
  const pages = await Promise.all(lines.map((line) => send(line, { 'accept-encoding': 'gzip' })));
  const contents = pages.map(({ coding, bytes }) => (coding === null ? bytes : gunzipSync(bytes)).toString());
  expect(new Set(contents)).toEqual(new Set([plain.bytes.toString()]));
  expect(pages.some(({ coding }) => coding === 'gzip')).toBe(true);
});

it('compresses results of an action that says so', async () => {
  const { send } = await createNotes(0);
  const { coding, bytes } = await send('POST /api/texts/public', { 'accept-encoding': 'gzip' });
  expect([coding, gunzipSync(bytes).toString()]).toEqual(['gzip', JSON.stringify(handler())]);
});

it('does not compress what is short, has a strong ETag, repeats what was sent, or may contain a secret', async () => {
  const { ids, send } = await createNotes(1);
  const title = 'a'.repeat(5_000);
  const headers = { 'accept-encoding': 'gzip' };
  for (const [line, body] of [
    ['GET /api/notes'],
    [`PATCH /api/notes/${ids[0]}`, { title }],
    [`GET /api/notes/${ids[0]}`],
    ['POST /api/notes', { title }],
    ['POST /api/notes/bulk', { create: [{ title }] }],
    ['POST /api/texts/secret'],
    ['GET /api/auth/session'],
    ['GET /api/auth/sessions'],
    ['GET /api/auth/events'],
    ['GET /api/notes?limit=x'],
  ] as const) {
    const { coding } = await send(line, headers, body);
    expect([line, coding]).toEqual([line, null]);
  }
});
