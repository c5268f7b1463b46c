import { describe, expect, it } from 'vitest';
import { createEntityServer, type EntityClient, patch, remove } from '../support/entity-server.ts';
import { refusalOf } from '../support/refusal-of.ts';
import { engines } from '../support/test-server.ts';
import type { TestResponse } from '../support/test-client.ts';

const nowhere = '/api/notes/00000000-0000-4000-8000-000000000000';

async function createNote({ browser }: EntityClient, body: object = { title: 'First' }): Promise<string> {
  const created = await browser.post('/api/notes', body);
  expect(created.status, created.text).toBe(201);
  return `/api/notes/${created.body.id}`;
}

function idsOf({ body }: TestResponse): readonly unknown[] {
  return body.items.map(({ id }) => id);
}

/** Gets every page of a list. */
async function walk({ browser }: EntityClient, path: string): Promise<readonly TestResponse[]> {
  const pages = [await browser.get(path)];
  for (let next = pages[0]?.body.nextCursor; next;) {
    const page = await browser.get(`${path}&after=${next}`);
    pages.push(page);
    next = page.body.nextCursor;
  }
  return pages;
}

describe.each(engines)('entity routes on %s', (engine) => {
  it('create, get, list, change and delete records', async () => {
    const { signUp } = await createEntityServer({ engine });
    const ada = await signUp();
    const created = await ada.browser.post('/api/notes', { title: 'First' });
    expect([created.status, created.headers.get('etag')]).toEqual([201, '"1"']);
    expect(created.body).toEqual({
      id: created.body.id,
      ownerId: ada.userId,
      title: 'First',
      slug: null,
      pinned: false,
      points: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      updatedAt: expect.any(String) as string,
    });
    const path = created.headers.get('location') ?? '';
    expect(path).toBe(`/api/notes/${created.body.id}`);
    const got = await ada.browser.get(path);
    expect([got.status, got.headers.get('etag'), got.body]).toEqual([200, '"1"', created.body]);
    const changed = await patch(ada.browser, path, { title: 'Second', points: 3 });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
    expect(changed.body).toMatchObject({ title: 'Second', points: 3, pinned: false });
    expect((await ada.browser.get('/api/notes')).body).toEqual({
      items: [changed.body],
      nextCursor: null,
      hasNextPage: false,
    });
    const gone = await remove(ada.browser, path);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect(refusalOf(await ada.browser.get(path))).toBe('NOT_FOUND');
  });

  it('forbid caching of every response, with any status', async () => {
    const { signUp, client } = await createEntityServer({ engine });
    const ada = await signUp();
    const path = await createNote(ada);
    const responses = [
      await ada.browser.get(path),
      await ada.browser.get(nowhere),
      await client().get('/api/notes'),
      await ada.browser.send('/api/notes', { method: 'PUT', body: {} }),
      await ada.browser.post('/api/notes', {}),
      await remove(ada.browser, path),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 401, 405, 400, 204]);
    for (const { headers } of responses) expect(headers.get('cache-control')).toBe('private, no-store');
  });

  it('return 405 with the allowed methods if no caller may use one, and 404 for an unknown path', async () => {
    const { signUp } = await createEntityServer({ engine });
    const { browser } = await signUp();
    const refused = await remove(browser, nowhere.replace('notes', 'comments'));
    expect([refusalOf(refused), refused.headers.get('allow')]).toEqual(['METHOD_NOT_ALLOWED', 'GET, HEAD, PATCH']);
    expect(refusalOf(await browser.post('/api/vault/bulk', {}))).toBe('METHOD_NOT_ALLOWED');
    expect(refusalOf(await browser.get('/api/nothing'))).toBe('NOT_FOUND');
    expect(refusalOf(await browser.get('/api/notes/1/2'))).toBe('NOT_FOUND');
  });

  it('refuse bytes in a query that are not UTF-8, and take a percent sign that escapes nothing as it is', async () => {
    const ada = await (await createEntityServer({ engine })).signUp();
    const path = await createNote(ada, { title: '100%' });
    const id = path.slice('/api/notes/'.length);
    for (const value of ['%FF', 'a%E0%A4', '%ED%A0%80', '%C0%80', '%C3.%BC']) {
      expect(refusalOf(await ada.browser.get(`/api/notes?where[title][ne]=${value}`))).toBe('INVALID_QUERY');
      expect(refusalOf(await ada.browser.get(`${path}?select=${value}`))).toBe('INVALID_QUERY');
    }
    for (const value of ['100%', '100%25', '%', '%31%30%30%25']) {
      expect(idsOf(await ada.browser.get(`/api/notes?where[title][contains]=${value}`))).toEqual([id]);
    }
  });

  it("respond to another user's row exactly as to a missing one", async () => {
    const { signUp } = await createEntityServer({ engine });
    const [ada, bob] = [await signUp(), await signUp()];
    const path = await createNote(ada);
    const bare = ({ status, text }: TestResponse): unknown => [status, text];
    for (const send of [
      (at: string) => bob.browser.get(at),
      (at: string) => patch(bob.browser, at, { title: 'x' }),
      (at: string) => patch(bob.browser, at, {}),
      (at: string) => patch(bob.browser, at, { title: 'x' }, { 'if-match': '"7"' }),
      (at: string) => patch(bob.browser, at, { ownerId: bob.userId }),
      (at: string) => remove(bob.browser, at),
      (at: string) => remove(bob.browser, at, { 'if-match': '"7"' }),
    ]) {
      const [foreign, missing] = [await send(path), await send(nowhere)];
      expect(foreign.status).toBe(404);
      expect(bare(foreign)).toEqual(bare(missing));
    }
    const listed = await bob.browser.get('/api/notes?count=true');
    expect(listed.body).toEqual({ items: [], nextCursor: null, hasNextPage: false, total: 0 });
    expect((await ada.browser.get(path)).body).toMatchObject({ title: 'First' });
  });

  it('refuse a record that the rule of its writer excludes', async () => {
    const { signUp } = await createEntityServer({ engine });
    const [ada, outsider] = [await signUp({ tenantId: 'one' }), await signUp()];
    expect(refusalOf(await outsider.browser.post('/api/documents', { title: 'x' }))).toBe('FORBIDDEN');
    const created = await ada.browser.post('/api/documents', { title: 'x' });
    expect(refusalOf(await patch(ada.browser, `/api/documents/${created.body.id}`, { ownerId: outsider.userId }))).toBe(
      'VALIDATION_FAILED',
    );
  });

  it('store only declared fields that callers may write', async () => {
    const { signUp } = await createEntityServer({ engine });
    const [ada, bob] = [await signUp(), await signUp()];
    for (const body of [{ internalNote: 'x' }, { unknown: 1 }, { _version: 9 }, { ownerId: bob.userId }]) {
      expect(refusalOf(await ada.browser.post('/api/notes', { title: 'x', ...body }))).toBe('VALIDATION_FAILED');
    }
    const id = '11111111-1111-4111-8111-111111111111';
    const created = await ada.browser.post('/api/notes', { title: 'x', id, createdAt: '2000-01-01T00:00:00.000Z' });
    expect(created.body.id).not.toBe(id);
    expect(created.text).not.toContain('2000-01-01');
    const path = `/api/notes/${created.body.id}`;
    expect(refusalOf(await patch(ada.browser, path, { ownerId: bob.userId }))).toBe('VALIDATION_FAILED');
    expect(refusalOf(await patch(ada.browser, path, { internalNote: 'x' }))).toBe('VALIDATION_FAILED');
    const sentBack = await patch(ada.browser, path, { ...created.body, id, __access: {}, title: 'y' });
    expect([sentBack.status, sentBack.body.id]).toEqual([200, created.body.id]);
  });

  it('reveal nothing of a hidden field, not even through filters, orders and selections', async () => {
    const { signUp } = await createEntityServer({ engine });
    const ada = await signUp();
    await createNote(ada);
    for (const name of ['internalNote', 'nothing']) {
      for (const query of [`where[${name}]=x`, `where[${name}][isNull]=true`, `orderBy=${name}`, `select=${name}`]) {
        const refused = await ada.browser.get(`/api/notes?${query}`);
        expect([refusalOf(refused), refused.text.includes('secret')]).toEqual(['INVALID_QUERY', false]);
      }
    }
    expect((await ada.browser.get('/api/notes')).text).not.toMatch(/secret|internalNote/);
  });

  it('let a filter narrow the condition of the rule, and never widen it', async () => {
    const { signUp } = await createEntityServer({ engine });
    const [ada, bob] = [await signUp(), await signUp()];
    await createNote(ada, { title: 'hers', slug: 'hers' });
    const own = await createNote(bob, { title: 'his', slug: 'his' });
    const widening = [
      { OR: [{ title: 'hers' }, { title: 'his' }] },
      { OR: [{ ownerId: ada.userId }, { ownerId: bob.userId }] },
      { NOT: { title: 'nothing' } },
      { NOT: { AND: [{ title: 'hers' }, { title: 'his' }] } },
    ];
    for (const where of widening) {
      const listed = await bob.browser.post('/api/notes/query', { where, count: true });
      expect([listed.status, idsOf(listed).map((id) => `/api/notes/${String(id)}`)]).toEqual([200, [own]]);
      expect(listed.body).toMatchObject({ total: 1 });
    }
    expect(idsOf(await bob.browser.get(`/api/notes?where[ownerId]=${ada.userId}`))).toEqual([]);
    expect(idsOf(await bob.browser.get('/api/notes?where[title]=nothing'))).toEqual([]);
  });

  it('treat wildcards and operators as text, and refuse a list for a scalar', async () => {
    const { signUp } = await createEntityServer({ engine });
    const ada = await signUp();
    await createNote(ada, { title: 'plain' });
    const percent = await createNote(ada, { title: '100%' });
    const found = await ada.browser.get('/api/notes?where[title][contains]=%25');
    expect(idsOf(found).map((id) => `/api/notes/${String(id)}`)).toEqual([percent]);
    for (const where of [{ title: { $ne: '' } }, { title: ['plain'] }, { $where: '1' }, { title: { eq: {} } }]) {
      expect(refusalOf(await ada.browser.post('/api/notes/query', { where }))).toBe('INVALID_QUERY');
    }
    expect(refusalOf(await ada.browser.get('/api/notes?where[title]=a&where[title]=b'))).toBe('INVALID_QUERY');
  });

  it('return lists in pages of a bounded size, and refuse invalid cursors', async () => {
    const { signUp } = await createEntityServer({ engine });
    const [ada, bob] = [await signUp(), await signUp()];
    const items = Array.from({ length: 25 }, (_, index) => ({ title: 'x', points: index % 3 }));
    expect((await ada.browser.post('/api/notes/bulk', { create: items })).status).toBe(200);
    await createNote(bob);
    expect((await ada.browser.get('/api/notes')).body.items).toHaveLength(20);
    for (const limit of ['0', '-1', '101', '1000000000', 'NaN', '10abc', '', '1.5']) {
      expect(refusalOf(await ada.browser.get(`/api/notes?limit=${limit}`))).toBe('INVALID_QUERY');
    }
    const [first, ...pages] = await walk(ada, '/api/notes?orderBy=points:desc&limit=7');
    const seen = [first, ...pages].flatMap((page) => (page ? idsOf(page) : []));
    expect([seen.length, new Set(seen).size]).toEqual([25, 25]);
    const cursor = first?.body.nextCursor;
    for (const query of [`after=${cursor}`, `orderBy=points:desc&after=x${cursor}`, 'after=']) {
      expect(refusalOf(await ada.browser.get(`/api/notes?${query}`))).toBe('INVALID_QUERY');
    }
  });

  it('return 404 for an id that no record can have', async () => {
    const { signUp } = await createEntityServer({ engine });
    const { browser } = await signUp();
    for (const id of ['1', 'x', '%00', 'null', "'%20OR%201=1--", `${nowhere.slice(-36)}x`]) {
      expect(refusalOf(await browser.get(`/api/notes/${id}`))).toBe('NOT_FOUND');
      expect(refusalOf(await patch(browser, `/api/notes/${id}`, { title: 'x' }))).toBe('NOT_FOUND');
      expect(refusalOf(await remove(browser, `/api/notes/${id}`))).toBe('NOT_FOUND');
    }
  });

  it('keep tenants apart by the session alone', async () => {
    const { signUp } = await createEntityServer({ engine });
    const [ada, bob] = [await signUp({ tenantId: 'one' }), await signUp({ tenantId: 'two' })];
    const shared = await ada.browser.post('/api/documents', { title: 'x', shared: true });
    expect(shared.body).toMatchObject({ tenantId: 'one' });
    const path = `/api/documents/${shared.body.id}`;
    expect(refusalOf(await bob.browser.get(path))).toBe('NOT_FOUND');
    expect(idsOf(await bob.browser.get('/api/documents?where[tenantId]=one'))).toEqual([]);
    expect(idsOf(await bob.browser.send('/api/documents', { headers: { 'x-tenant-id': 'one' } }))).toEqual([]);
    expect(refusalOf(await bob.browser.get('/api/documents?tenantId=one'))).toBe('INVALID_QUERY');
    expect(refusalOf(await bob.browser.post('/api/documents', { title: 'x', tenantId: 'one' }))).toBe(
      'VALIDATION_FAILED',
    );
    const cleo = await signUp({ tenantId: 'one' });
    expect(idsOf(await cleo.browser.get('/api/documents'))).toEqual([shared.body.id]);
    expect(refusalOf(await patch(cleo.browser, path, { title: 'y' }))).toBe('NOT_FOUND');
  });

  it('require an anonymous caller to sign in if no row could be theirs', async () => {
    const { client, signUp } = await createEntityServer({ engine });
    const anonymous = client();
    for (const response of [
      await anonymous.get('/api/notes'),
      await anonymous.get(nowhere),
      await anonymous.get('/api/documents'),
      await anonymous.post('/api/notes', { nonsense: 1 }),
      await patch(anonymous, nowhere, {}),
      await remove(anonymous, nowhere),
      await anonymous.post('/api/notes/bulk', {}),
      await anonymous.post('/api/announcements', { title: 'x' }),
    ]) {
      expect(refusalOf(response)).toBe('UNAUTHENTICATED');
    }
    expect((await anonymous.get('/api/announcements')).body.items).toEqual([]);
    expect((await anonymous.get('/api/comments')).body.items).toEqual([]);
    const { browser } = await signUp();
    const refused = await browser.post('/api/announcements', { title: 'x' });
    expect([refusalOf(refused), refused.body.error]).toMatchObject(['FORBIDDEN', { reasons: ['role_required'] }]);
    const admin = await signUp({ role: 'admin' });
    expect((await admin.browser.post('/api/announcements', { title: 'x' })).status).toBe(201);
    expect((await anonymous.get('/api/announcements')).body.items).toHaveLength(1);
  });

  it('require a second factor before they check anything else', async () => {
    const { signUp } = await createEntityServer({ engine });
    const { browser } = await signUp();
    for (const response of [
      await browser.get('/api/vault'),
      await browser.get(nowhere.replace('notes', 'vault')),
      await browser.post('/api/vault', {}),
      await patch(browser, '/api/vault/x', { nonsense: 1 }),
    ]) {
      expect(refusalOf(response)).toBe('STEP_UP_REQUIRED');
      expect(response.body.error).toMatchObject({ meta: { maxAge: 300 } });
    }
  });

  it('change only the version that the caller expects', async () => {
    const { signUp } = await createEntityServer({ engine });
    const ada = await signUp();
    const path = await createNote(ada);
    for (const tag of ['"2"', 'W/"1"', '1', '""', '"x"', '"2", "3"']) {
      const stale = await patch(ada.browser, path, { title: 'x' }, { 'if-match': tag });
      expect([tag, refusalOf(stale)]).toEqual([tag, 'PRECONDITION_FAILED']);
      expect(refusalOf(await remove(ada.browser, path, { 'if-match': tag }))).toBe('PRECONDITION_FAILED');
    }
    const changed = await patch(ada.browser, path, { title: 'y' }, { 'if-match': '"3", "1"' });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
    const empty = await patch(ada.browser, path, {}, { 'if-match': '*' });
    expect([empty.status, empty.headers.get('etag'), empty.body]).toEqual([200, '"2"', changed.body]);
    const selected = await ada.browser.get(`${path}?select=title`);
    expect([selected.headers.get('etag'), selected.body]).toEqual(['"2"', { title: 'y' }]);
    expect((await remove(ada.browser, path, { 'if-match': '"2"' })).status).toBe(204);
  });

  it('write many records at once or none, and report which one failed', async () => {
    const { signUp } = await createEntityServer({ engine });
    const [ada, bob] = [await signUp(), await signUp()];
    const first = await createNote(ada, { title: 'a', slug: 'a' });
    const foreign = await createNote(bob);
    const [id, foreignId] = [first.slice(-36), foreign.slice(-36)];
    const bulk = (body: unknown): Promise<TestResponse> => ada.browser.post('/api/notes/bulk', body);
    const failures: readonly (readonly [object, string, readonly unknown[]])[] = [
      [{ create: [{ title: 'b' }, { title: 1 }] }, 'VALIDATION_FAILED', ['create', 1]],
      [{ create: [{ title: 'b' }, { title: 'c', slug: 'a' }] }, 'CONFLICT', ['create', 1]],
      [
        {
          create: [{ title: 'b' }],
          update: [
            { id, title: 'z' },
            { id: foreignId, title: 'z' },
          ],
        },
        'NOT_FOUND',
        ['update', 1],
      ],
      [{ update: [{ id, title: 'z' }], delete: [foreignId] }, 'NOT_FOUND', ['delete', 0]],
    ];
    for (const [body, code, path] of failures) {
      const failed = await bulk(body);
      expect([refusalOf(failed), failed.body.error.issues[0]?.path]).toEqual([code, path]);
    }
    for (const body of [{ create: {} }, { nonsense: [] }, [], { delete: Array.from({ length: 101 }, () => id) }]) {
      expect(refusalOf(await bulk(body))).toBe('VALIDATION_FAILED');
    }
    expect((await ada.browser.get('/api/notes?select=title')).body.items).toEqual([{ title: 'a' }]);
    const done = await bulk({ create: [{ title: 'b' }], update: [{ id, title: 'z' }], delete: [id] });
    expect(done.body).toMatchObject({ created: [{ title: 'b' }], updated: [{ id, title: 'z' }], deleted: [id] });
    expect((await ada.browser.get('/api/notes?select=title')).body.items).toEqual([{ title: 'b' }]);
  });

  it('include related records by the rules of their own entity', async () => {
    const { signUp } = await createEntityServer({ engine });
    const [ada, bob] = [await signUp({ tenantId: 'one' }), await signUp({ tenantId: 'one' })];
    const { id } = (await ada.browser.post('/api/documents', { title: 'x', shared: true })).body;
    for (const [who, isPrivate] of [
      [ada, true],
      [ada, false],
      [bob, true],
    ] as const) {
      const body = `${who === ada ? 'hers' : 'his'} ${isPrivate ? 'private' : 'public'}`;
      expect((await who.browser.post('/api/comments', { documentId: id, body, isPrivate })).status).toBe(201);
    }
    const got = await ada.browser.get(`/api/documents/${id}?include=comments.document&select=title`);
    const { comments, ...rest } = got.body as unknown as { comments: { body: string; document: { id: string } }[] };
    expect(rest).toEqual({ title: 'x' });
    expect(comments.map(({ document }) => document.id)).toEqual([id, id]);
    expect(comments.map(({ body }) => body).toSorted()).toEqual(['hers private', 'hers public']);
    const listed = await bob.browser.get('/api/comments?include=document');
    expect(listed.body.items).toHaveLength(2);
    const outsider = await signUp({ tenantId: 'two' });
    const hidden = await outsider.browser.get('/api/comments?include=document');
    expect(hidden.body.items).toEqual([expect.objectContaining({ document: null })]);
    expect(refusalOf(await ada.browser.get('/api/documents?include=owner'))).toBe('INVALID_QUERY');
  });

  it('set a parent once, and only one that the caller can see', async () => {
    const { signUp } = await createEntityServer({ engine });
    const [ada, bob] = [await signUp({ tenantId: 'one' }), await signUp({ tenantId: 'one' })];
    const { id } = (await ada.browser.post('/api/documents', { title: 'x' })).body;
    const missing = nowhere.slice(-36);
    const [foreign, absent] = [
      await bob.browser.post('/api/comments', { documentId: id, body: 'x' }),
      await bob.browser.post('/api/comments', { documentId: missing, body: 'x' }),
    ];
    expect([foreign.status, foreign.text]).toEqual([403, absent.text]);
    const comment = await ada.browser.post('/api/comments', { documentId: id, body: 'x' });
    const path = `/api/comments/${comment.body.id}`;
    expect(refusalOf(await patch(ada.browser, path, { documentId: missing }))).toBe('VALIDATION_FAILED');
    expect((await patch(ada.browser, path, { documentId: id, body: 'y' })).status).toBe(200);
  });

  it('refuse requests that no page of the app sent, and bodies that are too large', async () => {
    const { signUp } = await createEntityServer({ engine });
    const ada = await signUp();
    const path = await createNote(ada);
    const foreign = { headers: { origin: 'https://evil.example' } };
    expect(refusalOf(await ada.browser.post('/api/notes', { title: 'x' }, foreign))).toBe('CSRF_FAILED');
    expect(refusalOf(await ada.browser.post('/api/notes/query', {}, foreign))).toBe('CSRF_FAILED');
    expect(refusalOf(await patch(ada.browser, path, {}, foreign.headers))).toBe('CSRF_FAILED');
    expect(refusalOf(await remove(ada.browser, path, foreign.headers))).toBe('CSRF_FAILED');
    const large = { title: 'x'.repeat(300_000) };
    expect(refusalOf(await ada.browser.post('/api/notes', large))).toBe('PAYLOAD_TOO_LARGE');
    expect(refusalOf(await ada.browser.post('/api/notes', large, { headers: { 'content-length': null } }))).toBe(
      'PAYLOAD_TOO_LARGE',
    );
    expect(refusalOf(await ada.browser.post('/api/notes', undefined, { raw: '[', headers: {} }))).toBe('INVALID_JSON');
  });
});
