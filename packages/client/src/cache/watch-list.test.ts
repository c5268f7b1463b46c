import { defineEntity, defineModel, field } from '@x/entity';
import { expect, it } from 'vitest';
import type { App, EntityClient, Page } from '../index.ts';
import { recordingClient } from '../testing/recording-client.ts';
import { optimistic } from './optimistic.ts';
import { watchList } from './watch-list.ts';

const access = { list: false, get: false, create: false, update: false, delete: false } as const;
const model = defineModel('tasks', { fields: { title: field.text() } });
const tasks = defineEntity({ access, model });
const notes = defineEntity({ access, model: defineModel('notes', { fields: { text: field.text() } }) });

interface Tracker extends App {
  entities: readonly [typeof tasks, typeof notes];
}

type Tasks = EntityClient<typeof model>;

interface Waiting {
  readonly asked: string;
  readonly answer: (body: object, status?: number) => void;
}

/** A client whose requests wait until they are answered. */
function waitingClient() {
  const waiting: Waiting[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const body = await request.clone().text();
    const response = Promise.withResolvers<Response>();
    const sent: Waiting = {
      asked: `${request.method} ${pathname}${body && ` ${body}`}`,
      answer: (given, status = 200) =>
        response.resolve(status === 204 ? new Response(null, { status }) : Response.json(given, { status })),
    };
    waiting.push(sent);
    const abort = (): void => {
      if (waiting.includes(sent)) waiting.splice(waiting.indexOf(sent), 1);
      response.reject(new DOMException('Aborted.', 'AbortError'));
    };
    if (init?.signal?.aborted) abort();
    init?.signal?.addEventListener('abort', abort);
    return response.promise;
  };
  const { client } = recordingClient<Tracker>([], { fetch });
  /** Waits for the next request, or the next that begins like this. */
  const next = async (beginning = '') => {
    const find = (): number => waiting.findIndex(({ asked }) => asked.startsWith(beginning));
    await expect.poll(find).toBeGreaterThan(-1);
    return waiting.splice(find(), 1)[0]!;
  };
  return { client, next, waiting };
}

const row = (id: string, title: string): object => ({ id, title });

const page = (items: readonly object[], nextCursor: string | null = null, total?: number): Page<object> => ({
  items,
  nextCursor,
  ...(total !== undefined && { total }),
});

const refusal = { error: { code: 'FORBIDDEN', message: 'No.' } };

const titles = (list: ReturnType<typeof watchList<typeof tasks.model, never, string, never>>) =>
  list.getSnapshot().data?.items.map(({ title }) => title);

/** A list that shows some tasks. */
async function watchTasks(...shown: readonly string[]) {
  const opened = waitingClient();
  const list = watchList(opened.client.entities.tasks as Tasks);
  const stop = list.subscribe(() => {});
  (await opened.next()).answer(page(shown.map((title, index) => row(`${index + 1}`, title))));
  await expect.poll(() => titles(list)).toEqual(shown);
  return { ...opened, entity: opened.client.entities.tasks as Tasks, list, stop };
}

it('calls a subscriber at once with its state, and with every later one', async () => {
  const { client, next } = waitingClient();
  const states: unknown[] = [];
  const list = watchList(client.entities.tasks, { count: true });
  expect(list.getSnapshot()).toMatchObject({ data: undefined, error: null, isLoading: false });
  const stop = list.subscribe((state) => states.push(state));
  expect(states).toMatchObject([{ isLoading: false }, { isLoading: true }]);
  expect(states.at(-1)).toBe(list.getSnapshot());
  const request = await next();
  expect(request.asked).toBe('POST /api/tasks/query {"count":true}');
  request.answer(page([row('1', 'a')], null, 7));
  await expect.poll(() => states.length).toBe(3);
  expect(states[2]).toMatchObject({ data: { items: [{ title: 'a' }], total: 7, nextCursor: null }, isLoading: false });
  stop();
});

it('sends one request for all that watch the same query, and none once nobody does', async () => {
  const { client, next, waiting } = waitingClient();
  const [one, same, other] = [{ limit: 1 }, { limit: 1 }, { limit: 2 }].map((query) =>
    watchList(client.entities.tasks, query),
  );
  const stops = [one!, same!, other!].map((list) => list.subscribe(() => {}));
  const requests = [await next(), await next()];
  expect([requests.map(({ asked }) => asked.slice(-11)), waiting]).toEqual([['{"limit":1}', '{"limit":2}'], []]);
  requests[0]!.answer(page([row('1', 'a')]));
  await expect.poll(() => titles(same!)).toEqual(['a']);
  expect(one!.getSnapshot()).toBe(same!.getSnapshot());
  stops[0]!();
  stops[0]!();
  expect(titles(one!)).toEqual(['a']);
  stops[1]!();
  expect(titles(one!)).toBeUndefined();
  const again = one!.subscribe(() => {});
  expect((await next()).asked).toContain('{"limit":1}');
  stops[1]!();
  expect(one!.getSnapshot().isLoading).toBe(true);
  [again, stops[2]!].forEach((stop) => stop());
});

it('adds page after page, and requests all of them again after a write to any entity', async () => {
  const { client, next } = waitingClient();
  const list = watchList(client.entities.tasks);
  list.subscribe(() => {});
  (await next()).answer(page([row('1', 'a')], 'c1'));
  await expect.poll(() => titles(list)).toEqual(['a']);
  list.getSnapshot().loadMore();
  const second = await next();
  expect(second.asked).toContain('{"after":"c1"}');
  second.answer(page([row('2', 'b')], 'c2'));
  await expect.poll(() => titles(list)).toEqual(['a', 'b']);
  const written = client.entities.notes.create({ text: 'x' });
  (await next()).answer(row('n', 'x'));
  await written;
  (await next()).answer(page([row('1', 'A')], 'd1'));
  const last = await next();
  expect(last.asked).toContain('{"after":"d1"}');
  last.answer(page([row('2', 'B')]));
  await expect.poll(() => titles(list)).toEqual(['A', 'B']);
  expect(list.getSnapshot().data?.nextCursor).toBeNull();
});

it('shows an updated record where it stands and no deleted one, before the list arrives again', async () => {
  const { entity, list, next } = await watchTasks('a', 'b', 'c');
  const updated = entity.update('2', { title: 'B' });
  const request = await next();
  expect(titles(list)).toEqual(['a', 'b', 'c']);
  request.answer(row('2', 'B'));
  await updated;
  expect(titles(list)).toEqual(['a', 'B', 'c']);
  const reread = await next('POST /api/tasks/query');
  const deleted = entity.delete('1');
  (await next('DELETE')).answer({}, 204);
  await deleted;
  expect(titles(list)).toEqual(['B', 'c']);
  const latest = await next('POST /api/tasks/query');
  reread.answer(page([row('1', 'a'), row('2', 'B'), row('3', 'c')]));
  latest.answer(page([row('3', 'c'), row('2', 'B')]));
  await expect.poll(() => titles(list)).toEqual(['c', 'B']);
});

it('keeps what a write returned over a response that was requested before, and takes the next one', async () => {
  const { entity, list, next } = await watchTasks('a');
  void list.getSnapshot().reload();
  const early = await next();
  const updated = optimistic(entity).update('1', { title: 'expected' });
  const write = await next('PATCH');
  early.answer(page([row('1', 'late'), row('2', 'new')]));
  await expect.poll(() => titles(list)).toEqual(['expected', 'new']);
  write.answer(row('1', 'written'));
  await updated;
  expect(titles(list)).toEqual(['written', 'new']);
  (await next()).answer(page([row('1', 'changed since')]));
  await expect.poll(() => titles(list)).toEqual(['changed since']);
});

it('resolves a reload once there is a response, be it to the request that has replaced it', async () => {
  const { list, next, stop } = await watchTasks('a');
  let isThere = false;
  const first = list.getSnapshot().reload();
  void first.then(() => (isThere = true));
  await next();
  const second = list.getSnapshot().reload();
  (await next()).answer(page([row('1', 'b')]));
  await Promise.all([first, second]);
  expect([titles(list), isThere]).toEqual([['b'], true]);
  const third = list.getSnapshot().reload();
  stop();
  await third;
});

it('keeps its items when the network fails, and drops them when the server refuses', async () => {
  const { list, next } = await watchTasks('a');
  const failed = list.getSnapshot().reload();
  (await next()).answer({ error: { code: 'SERVICE_UNAVAILABLE', message: 'Later.' } }, 503);
  await failed;
  expect(list.getSnapshot()).toMatchObject({ data: { items: [{ title: 'a' }] }, error: { status: 503 } });
  const refused = list.getSnapshot().reload();
  (await next()).answer(refusal, 403);
  await refused;
  expect(list.getSnapshot()).toMatchObject({ data: undefined, error: { code: 'FORBIDDEN' }, isLoading: false });
});

it('shows optimistic writes at once, in every list, and takes them back with the error of a refusal', async () => {
  const { client, entity, list, next } = await watchTasks('a', 'b');
  const open = watchList(entity, { limit: 5 });
  open.subscribe(() => {});
  (await next()).answer(page([row('2', 'b')], null, 1));
  await expect.poll(() => titles(open)).toEqual(['b']);
  const { create, update, delete: remove } = optimistic(client.entities.tasks as Tasks);
  const writes = [update('2', { title: 'B' }), remove('1'), create({ title: 'new' })];
  expect([titles(list), titles(open), open.getSnapshot().data?.total]).toEqual([['new', 'B'], ['new', 'B'], 2]);
  expect(new Set(list.getSnapshot().data?.items.map(({ id }) => id)).size).toBe(2);
  for (const line of ['PATCH /api/tasks/2 {"title":"B"}', 'DELETE /api/tasks/1', 'POST /api/tasks {"title":"new"}']) {
    (await next(line)).answer(refusal, 403);
  }
  expect((await Promise.all(writes)).map(({ error }) => error?.code)).toEqual(Array(3).fill('FORBIDDEN'));
  expect([titles(list), titles(open), open.getSnapshot().data?.total]).toEqual([['a', 'b'], ['b'], 1]);
  expect(list.getSnapshot().error).toMatchObject({ code: 'FORBIDDEN' });
});

it('shows a created record with the current time as its timestamps, and invents nothing else', async () => {
  const { entity, list } = await watchTasks('a');
  const before = new Date().toISOString();
  void optimistic(entity).create({ title: 'new' });
  const [shown] = (list.getSnapshot().data?.items ?? []) as unknown as readonly Readonly<Record<string, string>>[];
  expect(Object.keys(shown ?? {}).sort()).toEqual(['createdAt', 'id', 'title', 'updatedAt']);
  expect(shown?.['updatedAt']).toBe(shown?.['createdAt']);
  expect(new Date(shown?.['createdAt'] ?? '').toISOString()).toBe(shown?.['createdAt']);
  expect((shown?.['createdAt'] ?? '') >= before).toBe(true);
});

it('keeps a created record where the caller has put it, until the list arrives again', async () => {
  const { entity, list, next } = await watchTasks('a');
  const seen: object[] = [];
  const created = optimistic(entity, (rows, query) => {
    seen.push(query);
    return [...rows, { ...rows[0]!, id: 'x', title: 'new' }];
  }).create({ title: 'new' });
  expect([titles(list), seen]).toEqual([['a', 'new'], [{}]]);
  (await next()).answer(row('9', 'new'));
  await created;
  expect(titles(list)).toEqual(['a', 'new']);
  (await next()).answer(page([row('9', 'new'), row('1', 'a')]));
  await expect.poll(() => titles(list)).toEqual(['new', 'a']);
});

it('takes back what a call that throws has not done', async () => {
  const { entity, list } = await watchTasks('a');
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  await expect(optimistic(entity).update('1', circular as never)).rejects.toThrow(TypeError);
  expect(titles(list)).toEqual(['a']);
});

it('shows nothing of one user to another', async () => {
  const { client, list, next, stop } = await watchTasks('of nobody');
  const signedIn = client.auth.signIn({ email: 'ada@example.com', password: 'correct horse battery' });
  (await next()).answer({
    user: { id: 'ada', tenantId: null },
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  await signedIn;
  expect(list.getSnapshot()).toMatchObject({ data: undefined, error: null });
  (await next()).answer(page([row('1', 'of ada')]));
  await expect.poll(() => titles(list)).toEqual(['of ada']);
  const renewed = client.auth.refresh();
  const refresh = await next();
  refresh.answer({ user: { id: 'ada', tenantId: null }, expiresAt: new Date(Date.now() + 90_000).toISOString() });
  await renewed;
  expect(titles(list)).toEqual(['of ada']);
  stop();
  client.close();
});
