import { expect, it } from 'vitest';
import type { ClientResult } from '../index.ts';
import { createListStore, type ListSource } from './use-list.ts';

type Answer = Awaited<ReturnType<ListSource<string>['list']>>;

/** A list whose requests wait for an answer, the inputs of these requests, and a signal of writes. */
function waitingList() {
  const asked: {
    readonly after: string | null;
    readonly signal: AbortSignal;
    answer(answer: Answer): Promise<void>;
  }[] = [];
  const writes = new Set<() => void>();
  const store = createListStore<string>({
    list: (after, { signal }) => {
      const waiting = Promise.withResolvers<Answer>();
      const answer = async (given: Answer): Promise<void> => {
        waiting.resolve(given);
        await settle();
      };
      asked.push({ after, signal: signal!, answer });
      return waiting.promise;
    },
    onWrite: (listener) => {
      writes.add(listener);
      return () => void writes.delete(listener);
    },
  });
  const write = (): void => writes.forEach((listener) => listener());
  return { store, asked, write, writes };
}

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function page(items: readonly string[], nextCursor: string | null = null, total?: number): Answer {
  const data = { items, nextCursor, ...(total !== undefined && { total }) };
  return { ok: true, value: data, data };
}

const failure = (code: 'NETWORK_FAILED' | 'FORBIDDEN', status?: number): ClientResult<never> => ({
  ok: false,
  error: { code, message: code, ...(status !== undefined && { status }) },
});

it('loads on the first subscription, and notifies all subscribers', async () => {
  const { store, asked } = waitingList();
  expect([asked.length, store.getSnapshot()]).toMatchObject([0, { status: 'loading', items: [], hasNextPage: false }]);
  const calls = [0, 0];
  for (const at of [0, 1]) store.subscribe(() => (calls[at]! += 1));
  expect(asked.map(({ after }) => after)).toEqual([null]);
  await asked[0]!.answer(page(['a'], null, 7));
  expect(store.getSnapshot()).toMatchObject({
    status: 'ready',
    items: ['a'],
    total: 7,
    hasNextPage: false,
    error: null,
  });
  expect(calls).toEqual([1, 1]);
  expect(store.getSnapshot()).toBe(store.getSnapshot());
});

it('adds page after page, and asks again for all of them after a write', async () => {
  const { store, asked, write } = waitingList();
  store.subscribe(() => {});
  await asked[0]!.answer(page(['a'], 'c1'));
  store.getSnapshot().loadMore();
  await asked[1]!.answer(page(['b'], 'c2'));
  expect(store.getSnapshot()).toMatchObject({ items: ['a', 'b'], hasNextPage: true });
  write();
  expect(store.getSnapshot()).toMatchObject({ status: 'ready', items: ['a', 'b'] });
  await asked[2]!.answer(page(['A'], 'd1'));
  await asked[3]!.answer(page(['B'], null));
  expect(asked.map(({ after }) => after)).toEqual([null, 'c1', null, 'd1']);
  expect(store.getSnapshot()).toMatchObject({ items: ['A', 'B'], hasNextPage: false });
  store.getSnapshot().loadMore();
  expect(asked).toHaveLength(4);
});

it('takes the answer of the latest request, and aborts earlier ones', async () => {
  const { store, asked } = waitingList();
  store.subscribe(() => {});
  store.getSnapshot().reload();
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  await asked[1]!.answer(page(['new']));
  await asked[0]!.answer(page(['old']));
  expect(store.getSnapshot().items).toEqual(['new']);
});

it('ends with its last subscriber, and begins again with the next', async () => {
  const { store, asked, writes } = waitingList();
  const [stop, stopToo] = [store.subscribe(() => {}), store.subscribe(() => {})];
  stop();
  expect([asked[0]!.signal.aborted, writes.size]).toEqual([false, 1]);
  stopToo();
  expect([asked[0]!.signal.aborted, writes.size]).toEqual([true, 0]);
  store.subscribe(() => {});
  expect([asked.length, writes.size]).toEqual([2, 1]);
});

it('keeps its items when the network fails, and drops items that the server refuses', async () => {
  const { store, asked, write } = waitingList();
  store.subscribe(() => {});
  await asked[0]!.answer(page(['a'], 'c1'));
  write();
  await asked[1]!.answer(failure('NETWORK_FAILED'));
  expect(store.getSnapshot()).toMatchObject({ status: 'failed', items: ['a'], error: { code: 'NETWORK_FAILED' } });
  store.getSnapshot().reload();
  await asked[2]!.answer(page(['a'], 'c1'));
  expect(store.getSnapshot()).toMatchObject({ status: 'ready', error: null });
  write();
  await asked[3]!.answer(failure('FORBIDDEN', 403));
  expect(store.getSnapshot()).toMatchObject({ status: 'failed', items: [], hasNextPage: false });
});
