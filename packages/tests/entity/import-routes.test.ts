import { rules } from '@x/access';
import { defineEntity, defineModel, field } from '@x/entity';
import { describe, expect, it } from 'vitest';
import { createEntityServer } from '../support/entity-server.ts';
import { refusalOf } from '../support/refusal-of.ts';
import type { ResponseBody } from '../support/test-client.ts';
import { engines } from '../support/test-server.ts';

const own = rules.where({ ownerId: rules.user.id });
const rows = defineEntity({
  model: defineModel('rows', {
    fields: { ownerId: field.text({ serverValue: ({ userId }) => userId }), text: field.text({ maxLength: 400_000 }) },
  }),
  access: {
    ...{ list: own, get: own, create: rules.authenticated(), update: own, delete: own },
    ...{ import: rules.authenticated(), export: rules.authenticated() },
  },
});

const headers = { 'content-type': 'application/x-ndjson' };
const limit = 256 * 1024;
const toLine = (text: string): string => `${JSON.stringify({ text })}\n`;

describe.each(engines)('POST /api/<entity>/import on %s', (engine) => {
  it('takes a body beyond the limit of bodies, whose lines have that limit', async () => {
    const { signUp } = await createEntityServer({ engine, entities: [rows] });
    const { browser } = await signUp();
    const around = '{"text":""}'.length;
    const raw = [limit - around, limit - around + 1, 100].map((length) => toLine('x'.repeat(length))).join('');
    const response = await browser.send('/api/rows/import', { method: 'POST', raw, headers });
    const error = { code: 'PAYLOAD_TOO_LARGE', message: 'The line is too large.' };
    expect([response.status, response.body]).toEqual([
      200,
      { created: 2, failed: [{ line: 2, error }], resumeAfter: 3 },
    ]);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect((await browser.get('/api/rows?count=true')).body).toMatchObject({ total: 2 });
  });

  it('gives what was exported back to who may have the same', async () => {
    const { signUp } = await createEntityServer({ engine, entities: [rows] });
    const { browser } = await signUp();
    const raw = ['a', 'b', 'c'].map(toLine).join('');
    await browser.send('/api/rows/import', { method: 'POST', raw, headers });
    const { text: file } = await browser.get('/api/rows/export');
    const ids = file
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { id: string }).id);
    for (const id of ids.slice(1)) await browser.send(`/api/rows/${id}`, { method: 'DELETE' });
    const response = await browser.send('/api/rows/import', { method: 'POST', raw: file, headers });
    expect(response.body).toMatchObject({ created: 2, failed: [{ line: 1, error: { code: 'CONFLICT' } }] });
    expect((await browser.get('/api/rows')).body.items.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['their session ends', 401, 'UNAUTHENTICATED', 1],
    ['their role changes', 401, 'UNAUTHENTICATED', 1],
    ['a minute passes', 200, undefined, 2],
  ])('checks every minute that its caller is still who they were: %s', async (event, status, code, created) => {
    const { server, signUp, clock } = await createEntityServer({ engine, entities: [rows] });
    const { browser, userId } = await signUp();
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          pulled += 1;
          if (pulled === 2) {
            if (event === 'their session ends') await browser.post('/api/auth/signout');
            if (event === 'their role changes') await server.auth.admin.setRole(userId, 'admin');
            clock.advance(61_000);
          }
          if (pulled === 3) controller.close();
          else controller.enqueue(Buffer.from(toLine(String(pulled))));
        },
      },
      { highWaterMark: 0 },
    );
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { ...headers, cookie, origin: 'http://localhost:3000', 'x-app-request': '1' };
    const init = { method: 'POST', headers: sent, body, duplex: 'half' } as RequestInit;
    const response = await server.fetch(new Request('http://localhost:3000/api/rows/import', init));
    const { error, ...outcome } = JSON.parse(await response.text()) as Partial<ResponseBody>;
    const expected = { created, failed: [], resumeAfter: created };
    expect([response.status, error?.code, error?.meta ?? outcome]).toEqual([status, code, expected]);
  });

  it('is only for pages of the app, for its type, and for users', async () => {
    const { signUp, client } = await createEntityServer({ engine, entities: [rows] });
    const { browser } = await signUp();
    const raw = toLine('x');
    const refusal = async (replaced: Readonly<Record<string, string | null>>, by = browser): Promise<string> =>
      refusalOf(await by.send('/api/rows/import', { method: 'POST', raw, headers: { ...headers, ...replaced } }));
    expect(await refusal({ 'x-app-request': null })).toBe('CSRF_FAILED');
    expect(await refusal({ origin: 'https://evil.example' })).toBe('CSRF_FAILED');
    expect(await refusal({ 'content-type': 'application/json' })).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(await refusal({ 'content-encoding': 'gzip' })).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(await refusal({ 'if-match': '"1"' })).toBe('VALIDATION_FAILED');
    expect(await refusal({}, client())).toBe('UNAUTHENTICATED');
    expect((await browser.get('/api/rows')).body.items).toEqual([]);
    expect((await browser.get('/api/rows/import')).status).toBe(404);
  });
});
