import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Client, ClientResult, SessionState } from '../index.ts';
import { createSignal } from '../signal.ts';
import type { Pages } from './pages.ts';
import { createQueryCache, type QueryCache } from './query-cache.ts';

type Topic = 'tasks' | 'notes';

const opened: QueryCache<Topic>[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});

afterEach(() => {
  vi.useRealTimers();
  for (const cache of opened.splice(0)) cache.close();
  vi.unstubAllGlobals();
});

/** A cache whose user can change, beside the parts of a page that it needs. */
function openCache(name: string = crypto.randomUUID()) {
  const signal = createSignal<SessionState>();
  let state = { status: 'signedIn', user: { id: 'ada', tenantId: 'one' } } as SessionState;
  const page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal('document', page);
  const events = new EventTarget();
  for (const method of ['addEventListener', 'removeEventListener'] as const) {
    vi.stubGlobal(method, events[method].bind(events));
  }
  const refresh = vi.fn<() => Promise<ClientResult<unknown>>>(() => Promise.resolve(success(null)));
  const subscribe: Client['session']['subscribe'] = (listener) => {
    listener(state);
    return signal.subscribe(listener);
  };
  const client = { session: { subscribe, getSnapshot: () => state }, access: { refresh } };
  const cache: QueryCache<Topic> = createQueryCache<Topic>(
    client as unknown as Pick<Client, 'session' | 'access'>,
    name,
  );
  opened.push(cache);
  const become = (user: { readonly id: string; readonly tenantId: string } | null): void => {
    state = { status: user ? 'signedIn' : 'signedOut', user } as SessionState;
    signal.emit(state);
  };
  return { cache, become, page, events, refresh };
}

function success<T>(data: T): ClientResult<T> {
  return { ok: true, value: data, data };
}

function failure(code: 'NETWORK_FAILED' | 'FORBIDDEN' | 'INTERNAL_ERROR', status?: number): ClientResult<never> {
  return { ok: false, error: { code, message: code, ...(status !== undefined && { status }) } };
}

/** A load with these answers, one after another, the last one again and again. */
function answering<T>(...answers: readonly ClientResult<T>[]) {
  let index = 0;
  return vi.fn<() => Promise<ClientResult<T>>>(() =>
    Promise.resolve(answers[Math.min(index++, answers.length - 1)] ?? failure('FORBIDDEN')),
  );
}

/** A load of three pages. */
function loadingPages() {
  type Answer = ClientResult<{ items: string[]; nextCursor: string | null; total: number }>;
  return vi.fn<(input: void, after: string | null) => Promise<Answer>>((_, after) =>
    Promise.resolve(
      success({ items: [after ?? 'first'], nextCursor: after === 'c' ? null : after === 'b' ? 'c' : 'b', total: 3 }),
    ),
  );
}

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Waits until what is out of date has been read again. */
const readAgain = (): Promise<unknown> => vi.advanceTimersByTimeAsync(50);

/** Waits until what a notice has made out of date has been read again. */
const readNotice = (): Promise<unknown> => vi.advanceTimersByTimeAsync(100);

it('reads once for all subscribers of a result, and has it at once for later ones', async () => {
  const { cache } = openCache();
  const load = answering(success(1));
  const query = cache.query<number, { readonly id: string }>(['tasks'], load);
  const stops = [1, 2].map(() => query.at({ id: 'a' }).subscribe(() => {}));
  await settle();
  stops.forEach((stop) => stop());
  expect(query.at({ id: 'a' }).getSnapshot()).toMatchObject({ data: 1, error: null, isLoading: false });
  query.at({ id: 'a' }).subscribe(() => {});
  expect(load).toHaveBeenCalledTimes(1);
  query.at({ id: 'b' }).subscribe(() => {});
  expect(load).toHaveBeenCalledTimes(2);
});

it('reads only the results again that a write touches', async () => {
  const { cache } = openCache();
  const [tasks, notes] = [answering(success(1)), answering(success(2))];
  for (const [topic, load] of [
    ['tasks', tasks],
    ['notes', notes],
  ] as const)
    cache
      .query([topic], load)
      .at()
      .subscribe(() => {});
  await settle();
  await cache.write(() => Promise.resolve(success(null)), { touches: ['tasks'] });
  await readAgain();
  expect([tasks.mock.calls.length, notes.mock.calls.length]).toEqual([2, 1]);
  await cache.write(() => Promise.resolve(failure('FORBIDDEN', 403)), { touches: ['tasks'] });
  await readAgain();
  expect(tasks).toHaveBeenCalledTimes(2);
});

it('reads once after a write and the notice of it', async () => {
  const { cache } = openCache();
  const load = answering(success(1), success(2));
  const tasks = cache.query(['tasks'], load).at();
  tasks.subscribe(() => {});
  await settle();
  await cache.write(() => Promise.resolve(success(null)), { touches: ['tasks'] });
  await vi.advanceTimersByTimeAsync(40);
  cache.invalidate(['tasks']);
  await readAgain();
  expect([load.mock.calls.length, tasks.getSnapshot().data]).toEqual([2, 2]);
});

it('reads nothing again for the notice of a write of this browser, however late it comes, and it comes once', async () => {
  const name = crypto.randomUUID();
  const [{ cache }, other] = [openCache(name), openCache(name)];
  const load = answering(success(1));
  cache
    .query(['tasks'], load)
    .at()
    .subscribe(() => {});
  await settle();
  const written = { id: 'a', updatedAt: '2026-01-01T00:00:00.000Z' };
  const touches = ['tasks'] as const;
  await cache.write(() => Promise.resolve(success(written)), { touches });
  await readAgain();
  expect(load).toHaveBeenCalledTimes(2);
  const notice = { a: written.updatedAt };
  cache.invalidate(['tasks'], notice);
  await readNotice();
  expect(load).toHaveBeenCalledTimes(2);
  cache.invalidate(['tasks'], notice);
  await readNotice();
  expect(load).toHaveBeenCalledTimes(3);
  // Of several records, one was changed by somebody else.
  await cache.write(() => Promise.resolve(success({ updated: [written], created: [] })), { touches });
  await readAgain();
  cache.invalidate(['tasks'], { ...notice, b: written.updatedAt });
  await readNotice();
  expect(load).toHaveBeenCalledTimes(5);
  // The write has touched less than what the notice is about, or another tab has made it.
  await cache.write(() => Promise.resolve(success(written)), { touches: ['notes'] });
  cache.invalidate(['tasks'], notice);
  await readNotice();
  expect(load).toHaveBeenCalledTimes(6);
  // The notice comes before the response.
  cache.invalidate(['tasks'], notice);
  await cache.write(() => Promise.resolve(success(written)), { touches });
  await readNotice();
  expect(load).toHaveBeenCalledTimes(7);
  vi.useRealTimers();
  await other.cache.write(() => Promise.resolve(success(written)), { touches });
  await expect.poll(() => load.mock.calls.length).toBe(8);
  cache.invalidate(['tasks'], notice);
  await new Promise((resolve) => void setTimeout(resolve, 150));
  expect(load).toHaveBeenCalledTimes(8);
});

it('reads nothing again for the notice of a deletion of this browser, and does for those of others', async () => {
  const { cache } = openCache();
  const load = answering(success(1));
  const numbers = cache.query(['tasks'], load);
  numbers.at().subscribe(() => {});
  await settle();
  const id = '5a3c0cf4-98cf-4a3b-a3f4-5a0f9d3c1e77';
  const [own, other] = [{ '9d3c1e77': null }, { '00000000': null }];
  const effects = { touches: ['tasks'], merge: () => [numbers.merge((count) => count)] } as const;
  const deletion = () => Promise.resolve(success(undefined));
  // The notice comes before the response.
  cache.invalidate(['tasks'], own);
  await cache.write(deletion, { ...effects, deletes: [id] });
  await readNotice();
  expect(load).toHaveBeenCalledTimes(1);
  for (const notice of [own, other, { ...own, ...other }]) {
    if (notice !== own) await cache.write(deletion, { ...effects, deletes: [id] });
    cache.invalidate(['tasks'], notice);
    await readNotice();
  }
  expect(load).toHaveBeenCalledTimes(4);
  await cache.write(deletion, { ...effects, deletes: [id], touches: ['notes'] });
  cache.invalidate(['tasks'], own);
  await readNotice();
  expect(load).toHaveBeenCalledTimes(5);
  await cache.write(() => Promise.resolve(failure('FORBIDDEN', 403)), { ...effects, deletes: [id] });
  cache.invalidate(['tasks'], own);
  await readNotice();
  expect(load).toHaveBeenCalledTimes(6);
});

it('reads a result again for the notice of a change that is not the one of this browser', async () => {
  const { cache } = openCache();
  const load = answering(success(1));
  cache
    .query(['tasks'], load)
    .at()
    .subscribe(() => {});
  await settle();
  const written = { id: 'a', updatedAt: '2026-01-01T00:00:00.000Z' };
  await cache.write(() => Promise.resolve(success(written)), { touches: ['tasks'] });
  await readAgain();
  cache.invalidate(['tasks'], { a: '2026-01-01T00:00:00.001Z' });
  await readNotice();
  cache.invalidate(['tasks'], {});
  await readNotice();
  cache.invalidate(['tasks']);
  await readAgain();
  expect(load).toHaveBeenCalledTimes(5);
});

it('does not read again what a write was merged into, unless it was out of date or the update declines', async () => {
  const { cache } = openCache();
  const answers = answering(success(['a', 'b']));
  const load = vi.fn<(input: string) => Promise<ClientResult<readonly string[]>>>(() => answers());
  const query = cache.query<readonly string[], string>(['tasks'], load);
  const [all, some] = ['all', 'some'].map((input) => query.at(input));
  for (const list of [all, some]) list?.subscribe(() => {});
  await settle();
  const effects = {
    touches: ['tasks'],
    change: () => [query.change((list) => ['expected', ...list])],
    merge: ({ data }: { readonly data: string }) => [
      query.merge((list, input) => (input === 'all' ? [data, ...list] : undefined)),
    ],
  } as const;
  const written = cache.write(() => Promise.resolve(success('c')), effects);
  expect(all?.getSnapshot().data).toEqual(['expected', 'a', 'b']);
  await written;
  expect(all?.getSnapshot().data).toEqual(['c', 'a', 'b']);
  expect(some?.getSnapshot().data).toEqual(['expected', 'a', 'b']);
  await readAgain();
  expect(load.mock.calls.map(([input]) => input)).toEqual(['all', 'some', 'some']);
  expect(some?.getSnapshot().data).toEqual(['a', 'b']);
  // What was out of date when the answer came lacks more than this write.
  cache.invalidate(['tasks']);
  await cache.write(() => Promise.resolve(success('d')), effects);
  await readAgain();
  expect(load.mock.calls.slice(3).map(([input]) => input)).toEqual(['all', 'some']);
  // A response that comes during the write may know of it, or not.
  const answer = Promise.withResolvers<ClientResult<string>>();
  const slow = cache.write(() => answer.promise, effects);
  await all?.getSnapshot().reload();
  answer.resolve(success('e'));
  await slow;
  await readAgain();
  expect(load.mock.calls.slice(5).map(([input]) => input)).toEqual(['all', 'all', 'some']);
  expect(all?.getSnapshot().data).toEqual(['a', 'b']);
  await cache.write(() => Promise.resolve(failure('FORBIDDEN', 403)), { ...effects, change: () => [] });
  expect(all?.getSnapshot().data).toEqual(['a', 'b']);
});

it('shows a change before the server has answered, and takes it back where it refuses', async () => {
  const { cache } = openCache();
  const query = cache.query(['tasks'], answering(success('old')));
  const { subscribe, getSnapshot } = query.at();
  subscribe(() => {});
  await settle();
  const answer = Promise.withResolvers<ClientResult<null>>();
  const change = () => [query.change(() => 'new')];
  const written = cache.write(() => answer.promise, { touches: ['tasks'], change });
  expect(getSnapshot().data).toBe('new');
  answer.resolve(failure('FORBIDDEN', 403));
  await written;
  expect(getSnapshot().data).toBe('old');
});

it('shows a change over responses that arrive meanwhile, and the last of them once it is taken back', async () => {
  const { cache } = openCache();
  const query = cache.query(['tasks'], answering(success('old'), success('read meanwhile')));
  const { subscribe, getSnapshot } = query.at();
  subscribe(() => {});
  await settle();
  const takeBack = query.change(() => 'new');
  cache.invalidate(['tasks']);
  await readAgain();
  expect(getSnapshot().data).toBe('new');
  takeBack(false);
  expect(getSnapshot().data).toBe('read meanwhile');
});

it('reads as many pages again as there are, and adds the next one on demand', async () => {
  const { cache } = openCache();
  const load = loadingPages();
  const { subscribe, getSnapshot } = cache.pages(['tasks'], load).at();
  subscribe(() => {});
  await settle();
  getSnapshot().loadMore();
  await settle();
  const two: Pages<string> = { items: ['first', 'b'], nextCursor: 'c', total: 3, count: 2 };
  expect(getSnapshot().data).toEqual(two);
  cache.invalidate(['tasks']);
  await readAgain();
  expect(getSnapshot().data).toEqual(two);
  getSnapshot().loadMore();
  await settle();
  getSnapshot().loadMore();
  await settle();
  expect([getSnapshot().data?.items, load.mock.calls.length]).toEqual([['first', 'b', 'c'], 5]);
});

it.each(['out of date', 'being read again'])(
  'adds the next page to a list that is %s, in the same reading',
  async (state) => {
    const { cache } = openCache();
    const load = loadingPages();
    const { subscribe, getSnapshot } = cache.pages(['tasks'], load).at();
    subscribe(() => {});
    await settle();
    cache.invalidate(['tasks']);
    if (state === 'being read again') void getSnapshot().reload();
    getSnapshot().loadMore();
    getSnapshot().loadMore();
    await settle();
    expect(getSnapshot()).toMatchObject({ data: { items: ['first', 'b'] }, isLoading: false });
    const { length } = load.mock.calls;
    await readAgain();
    expect(load.mock.calls.length).toBe(length);
    getSnapshot().loadMore();
    await settle();
    expect(getSnapshot().data?.items).toEqual(['first', 'b', 'c']);
  },
);

it('retries after a failure that may pass and keeps its data, which it forgets when the server refuses', async () => {
  const { cache } = openCache();
  const load = answering(
    success(1),
    failure('INTERNAL_ERROR', 500),
    failure('NETWORK_FAILED'),
    success(2),
    failure('FORBIDDEN', 403),
  );
  const { subscribe, getSnapshot } = cache.query(['tasks'], load).at();
  subscribe(() => {});
  await settle();
  cache.invalidate(['tasks']);
  await readAgain();
  expect(getSnapshot()).toMatchObject({ data: 1, error: { code: 'INTERNAL_ERROR' } });
  await vi.advanceTimersByTimeAsync(1000);
  await settle();
  expect(getSnapshot()).toMatchObject({ data: 1, error: { code: 'NETWORK_FAILED' } });
  await vi.advanceTimersByTimeAsync(2000);
  await settle();
  expect(getSnapshot()).toMatchObject({ data: 2, error: null });
  cache.invalidate(['tasks']);
  await readAgain();
  expect(getSnapshot()).toMatchObject({ data: undefined, error: { code: 'FORBIDDEN' } });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(load).toHaveBeenCalledTimes(5);
});

it('reads when the network is back, and when the tab is seen again', async () => {
  const { cache, page, events } = openCache();
  const load = answering(success(1));
  cache
    .query(['tasks'], load)
    .at()
    .subscribe(() => {});
  await settle();
  events.dispatchEvent(new Event('online'));
  await readAgain();
  expect(load).toHaveBeenCalledTimes(2);
  page.hidden = true;
  page.dispatchEvent(new Event('visibilitychange'));
  await readAgain();
  expect(load).toHaveBeenCalledTimes(2);
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  await readAgain();
  expect(load).toHaveBeenCalledTimes(3);
});

it('forgets everything when the user or the tenant changes, and requests nothing for anonymous users', async () => {
  const { cache, become } = openCache();
  const load = answering(success('of ada'), success('of bob'));
  const { subscribe, getSnapshot } = cache.query(['tasks'], load).at();
  const stop = subscribe(() => {});
  await settle();
  become({ id: 'ada', tenantId: 'one' });
  expect(getSnapshot().data).toBe('of ada');
  become({ id: 'bob', tenantId: 'two' });
  expect(getSnapshot().data).toBeUndefined();
  await readAgain();
  expect(getSnapshot().data).toBe('of bob');
  become(null);
  stop();
  await readAgain();
  expect([getSnapshot().data, load.mock.calls.length]).toEqual([undefined, 2]);
});

it('tells the other tabs which topics are out of date; their access may have changed as well', async () => {
  const name = crypto.randomUUID();
  const [here, there] = [openCache(name), openCache(name)];
  const load = answering(success(1));
  there.cache
    .query(['tasks'], load)
    .at()
    .subscribe(() => {});
  await settle();
  vi.useRealTimers();
  here.cache.invalidate(['tasks']);
  await expect.poll(() => load.mock.calls.length).toBe(2);
  expect([there.refresh.mock.calls.length, here.refresh.mock.calls.length]).toEqual([1, 0]);
});

it('does without other tabs where the browser refuses to reach them', async () => {
  vi.stubGlobal('BroadcastChannel', () => {
    throw new DOMException('Refused.', 'SecurityError');
  });
  const { cache } = openCache();
  const query = cache.query<number, number>(['tasks'], answering(success(1), success(2)));
  query.at(0).subscribe(() => {});
  await settle();
  await cache.write(() => Promise.resolve(success(null)), { touches: ['tasks'] });
  await readAgain();
  expect(query.at(0).getSnapshot()).toMatchObject({ data: 2, error: null });
});

it('keeps a bounded number of results that no component shows', async () => {
  const { cache } = openCache();
  const query = cache.query<number, number>(['tasks'], answering(success(1)));
  const first = query.at(0);
  first.subscribe(() => {});
  for (let input = 1; input <= 300; input += 1) query.at(input);
  expect([query.at(0) === first, query.at(300) === query.at(300)]).toEqual([true, true]);
  const old = query.at(5);
  expect(old.getSnapshot().data).toBeUndefined();
});
