import { defineEntity, defineModel, field } from '@x/entity';
import { expect, it } from 'vitest';
import { recordingClient } from '../testing/recording-client.ts';

const access = { list: false, get: false, create: false, update: false, delete: false } as const;
const tasks = defineEntity({ access, model: defineModel('tasks', { fields: { title: field.text() } }) });
const auditEntries = defineEntity({ access, model: defineModel('audit-entries', { fields: { title: field.text() } }) });

interface Tasks {
  entities: { readonly tasks: typeof tasks; readonly auditEntries: typeof auditEntries };
}

const clientOf = (...answers: readonly (object | Response)[]) => recordingClient<Tasks>(answers);

type Send = (...given: readonly unknown[]) => Promise<unknown>;
type AnyAction = Send & Readonly<Record<'get' | 'delete', Send>>;

it('sends every operation where the server has it', async () => {
  const { client, asked, headers } = clientOf();
  const { tasks, auditEntries } = client.entities;
  await tasks.list();
  await tasks.list({ where: { title: { in: ['a,b', 'c'] } }, orderBy: ['title:desc'], select: ['id'] });
  await tasks.get('a/b', { select: ['id', 'title'] });
  await tasks.create({ title: 'x' });
  await tasks.create({ title: 'x' }, { query: { access: ['task:update', 'task:delete'] } });
  await tasks.update('1', { title: 'y' }, { ifMatch: '"3"' });
  await tasks.delete('1', { ifMatch: '"4"' });
  await tasks.bulk({ delete: ['1'] });
  await auditEntries.get('1');
  expect(asked).toEqual([
    ['POST /api/tasks/query', {}],
    ['POST /api/tasks/query', { where: { title: { in: ['a,b', 'c'] } }, orderBy: ['title:desc'], select: ['id'] }],
    ['GET /api/tasks/a/b?select=id,title'],
    ['POST /api/tasks', { title: 'x' }],
    ['POST /api/tasks?access=task:update,task:delete', { title: 'x' }],
    ['PATCH /api/tasks/1', { title: 'y' }],
    ['DELETE /api/tasks/1'],
    ['POST /api/tasks/bulk', { delete: ['1'] }],
    ['GET /api/audit-entries/1'],
  ]);
  expect(headers.map((each) => each.get('If-Match'))).toEqual([
    ...Array.from({ length: 5 }, () => null),
    '"3"',
    '"4"',
    null,
    null,
  ]);
});

it('an id stays one part of a path, with any characters', async () => {
  const paths: string[] = [];
  const fetch = async (input: string | URL | Request): Promise<Response> => {
    paths.push(new URL(new Request(input).url).pathname);
    return Response.json({});
  };
  const { client } = recordingClient<Tasks>([], { fetch });
  await client.entities.tasks.get('../auth/sessions');
  await client.entities.tasks.delete('a?b');
  expect(paths).toEqual(['/api/tasks/..%2Fauth%2Fsessions', '/api/tasks/a%3Fb']);
});

it('visits all pages with one query', async () => {
  const page = (title: string, nextCursor: string | null) => ({
    items: [{ title }],
    nextCursor,
    hasNextPage: !!nextCursor,
  });
  const { client, asked } = clientOf(page('a', 'c1'), page('b', 'c2'), page('c', null));
  const titles: string[] = [];
  for await (const visited of client.entities.tasks.pages({ limit: 1 })) {
    if (visited.ok) titles.push(...visited.data.items.map(({ title }) => title));
  }
  expect(titles).toEqual(['a', 'b', 'c']);
  expect(asked.map(([, body]) => body)).toEqual([{ limit: 1 }, { limit: 1, after: 'c1' }, { limit: 1, after: 'c2' }]);
});

it('gives the version of a record along, and an error as the server sent it', async () => {
  const { client } = clientOf(
    Response.json({ id: '1', title: 'x' }, { headers: { ETag: '"5"' } }),
    Response.json({ error: { code: 'PRECONDITION_FAILED', message: 'No.' } }, { status: 412 }),
    new Response(null, { status: 204 }),
  );
  expect(await client.entities.tasks.get('1')).toMatchObject({ ok: true, data: { title: 'x' }, etag: '"5"' });
  const refused = await client.entities.tasks.update('1', {}, { ifMatch: '"4"' });
  expect(refused).toMatchObject({ ok: false, error: { code: 'PRECONDITION_FAILED', status: 412 } });
  expect(await client.entities.tasks.delete('1')).toMatchObject({ ok: true, data: undefined });
});

it.each([
  () => new Response(null, { status: 204 }),
  () => new Response(''),
  () => Response.json(null),
  () => Response.json('ok'),
])('takes no response without a record for one, and none without a page', async (respond) => {
  const { client } = clientOf(respond(), respond(), respond(), respond(), Response.json({ status: 'up' }));
  const { tasks } = client.entities;
  for (const call of [
    () => tasks.get('1'),
    () => tasks.create({ title: 'x' }),
    () => tasks.update('1', { title: 'y' }),
    () => tasks.list(),
    () => tasks.list(),
  ]) {
    expect(await call()).toMatchObject({ ok: false, error: { code: 'INVALID_RESPONSE' } });
  }
});

it('sends actions to records and to none, by each method, and services', async () => {
  const { client, asked, headers } = clientOf();
  const { tasks } = client.entities as unknown as Record<string, Record<string, AnyAction>>;
  const services = client.services as unknown as Record<string, Record<string, AnyAction>>;
  const { signal } = new AbortController();
  await tasks!['archive']!('1');
  await tasks!['archive']!('1', { signal });
  await tasks!['archive']!('1', undefined, { ifMatch: '"3"' });
  await tasks!['setRole']!('1', { role: null }, { signal });
  await tasks!['plan']!.get('1', { at: 'now' });
  await tasks!['plan']!.delete('1');
  await tasks!['bulkComplete']!({ ids: ['1'] });
  await services['fullText']!['apply']!({ text: 'x' });
  await services['fullText']!['list']!();
  await services['invitations']!['get']!({ limit: 1 } as never);
  await (services['invitations'] as unknown as AnyAction).delete();
  await services['invitations']!['count']!.get();
  expect(asked).toEqual([
    ['POST /api/tasks/1/archive'],
    ['POST /api/tasks/1/archive'],
    ['POST /api/tasks/1/archive'],
    ['POST /api/tasks/1/set-role', { role: null }],
    ['GET /api/tasks/1/plan?at=now'],
    ['DELETE /api/tasks/1/plan'],
    ['POST /api/tasks/bulk-complete', { ids: ['1'] }],
    ['POST /api/full-text/apply', { text: 'x' }],
    ['POST /api/full-text/list'],
    ['GET /api/invitations?limit=1'],
    ['DELETE /api/invitations'],
    ['GET /api/invitations/count'],
  ]);
  expect(headers[2]?.get('If-Match')).toBe('"3"');
});

it('announces its writes, and no other requests', async () => {
  const { client } = clientOf({}, {}, {}, { error: { code: 'NOT_FOUND', message: 'No.' } });
  const { tasks, auditEntries } = client.entities;
  const written: unknown[] = [];
  const stop = auditEntries.session.touched.subscribe((write) => {
    if (write) written.push([write[1].method, write[0]]);
  });
  await tasks.list();
  await tasks.get('1');
  await tasks.aggregate({ measures: { n: { count: true } } });
  await tasks.update('1', {});
  expect(written).toEqual([]);
  await tasks.create({ title: 'x' });
  await tasks.delete('1');
  await tasks.bulk({});
  expect(written).toEqual([
    ['POST', '/api/tasks'],
    ['DELETE', '/api/tasks/1'],
    ['POST', '/api/tasks/bulk'],
  ]);
  stop();
  await tasks.delete('1');
  expect(written).toHaveLength(3);
});

it('ends a request with its signal, whichever place that has', async () => {
  const { client, asked } = clientOf();
  const signal = AbortSignal.abort();
  for (const call of [
    client.entities.tasks.list({}, { signal }),
    client.entities.tasks.get('1', {}, { signal }),
    client.entities.tasks.delete('1', { signal }),
    client.auth.providers({ signal }),
    client.auth.resendVerification({ signal }),
  ]) {
    expect(await call).toMatchObject({ ok: false, error: { code: 'ABORTED' } });
  }
  expect(asked.every(([, body]) => body === undefined || !('signal' in (body as object)))).toBe(true);
});

it('is the same object each time, and asks nothing where it is only looked at', async () => {
  const { client, asked } = clientOf();
  expect(client.entities.tasks).toBe(client.entities.tasks);
  expect(await Promise.resolve(client.entities.tasks)).toBe(client.entities.tasks);
  expect(await Promise.resolve(client.entities)).toBe(client.entities);
  JSON.stringify(client.entities);
  JSON.stringify({ tasks: client.entities.tasks });
  expect(asked).toEqual([]);
});
