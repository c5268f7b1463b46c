import { queryTooExpensive } from '@x/store';
import { expect, it, onTestFinished, vi } from 'vitest';
import { QueryTurns } from './query-turns.ts';
import { firstTryMs, queryMs } from './timeouts.ts';

const scan = { comparisons: null, maxRows: 1 };
const indexed = { comparisons: 1, maxRows: 1 };

/** A query that the server ends at any limit up to this, and the limits that it was run with. */
function queryOf(neededMs: number): { readonly limits: number[]; readonly run: (serverMs: number) => Promise<string> } {
  const limits: number[] = [];
  return {
    limits,
    async run(serverMs) {
      limits.push(serverMs);
      if (serverMs < neededMs) throw queryTooExpensive();
      return 'done';
    },
  };
}

/** A query that runs until it is told to end. */
function openQuery(): { readonly end: () => void; readonly run: () => Promise<void>; readonly begun: Promise<void> } {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run = (): Promise<void> => {
    begun.resolve();
    return ended.promise;
  };
  return { run, end: ended.resolve, begun: begun.promise };
}

it('tries a query briefly, and begins one that needs longer again with the whole limit', async () => {
  const turns = new QueryTurns(10, 60_000);
  const [quick, slow, endless] = [queryOf(1), queryOf(1000), queryOf(Infinity)];
  expect(await turns.run({ ...scan, caller: 'ada' }, quick.run)).toBe('done');
  expect(await turns.run({ ...scan, caller: 'eve' }, slow.run)).toBe('done');
  await expect(turns.run({ ...scan, caller: 'bob' }, endless.run)).rejects.toMatchObject({
    code: 'QUERY_TOO_EXPENSIVE',
  });
  expect([quick, slow, endless].map(({ limits }) => limits)).toEqual([
    [firstTryMs],
    [firstTryMs, queryMs],
    [firstTryMs, queryMs],
  ]);
});

it('begins the next query of a caller who had an expensive one among those, but never one of the app itself', async () => {
  const turns = new QueryTurns(10, 60_000);
  for (const caller of ['eve', null]) await turns.run({ ...scan, caller }, queryOf(1000).run);
  const [ofEve, ofApp, ofIndex] = [queryOf(1), queryOf(1), queryOf(1)];
  await turns.run({ ...scan, caller: 'eve' }, ofEve.run);
  await turns.run(scan, ofApp.run);
  await turns.run({ ...indexed, caller: 'eve' }, ofIndex.run);
  expect([ofEve, ofApp, ofIndex].map(({ limits }) => limits)).toEqual([[queryMs], [firstTryMs], [queryMs]]);
});

it('tries none of those that wait while another of their caller turns out to be expensive', async () => {
  const turns = new QueryTurns(10, 60_000);
  const burst = Array.from({ length: 9 }, () => queryOf(1000));
  await Promise.all(burst.map(({ run }) => turns.run({ ...scan, caller: 'eve' }, run)));
  const tried = burst.filter(({ limits }) => limits.includes(firstTryMs));
  expect(tried).toHaveLength(2);
  expect(burst.every(({ limits }) => limits.at(-1) === queryMs)).toBe(true);
});

it('runs queries that an index answers, and those of others, while expensive ones wait for each other', async () => {
  const turns = new QueryTurns(10, 60_000);
  const callers = ['eve', 'mallory', 'trudy'];
  for (const caller of callers) await turns.run({ ...scan, caller }, queryOf(1000).run);
  const open = callers.map(openQuery);
  const running = open.map(({ run }, index) => turns.run({ ...scan, caller: callers[index] ?? null }, run));
  await open[0]?.begun;
  expect(await turns.run({ ...indexed, caller: 'ada' }, queryOf(1).run)).toBe('done');
  expect(await turns.run({ ...scan, caller: 'ada' }, queryOf(1).run)).toBe('done');
  for (const { begun, end } of open) {
    await begun;
    end();
  }
  await Promise.all(running);
});

it('remembers a caller as long as each further query takes long', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const turns = new QueryTurns(10, 60_000);
  await turns.run({ ...scan, caller: 'eve' }, queryOf(1000).run);
  const long = async (): Promise<void> => {
    await vi.advanceTimersByTimeAsync(8000);
  };
  await turns.run({ ...scan, caller: 'eve' }, long);
  const [renewed, forgotten] = [queryOf(1), queryOf(1)];
  await vi.advanceTimersByTimeAsync(8000);
  await turns.run({ ...scan, caller: 'eve' }, renewed.run);
  await vi.advanceTimersByTimeAsync(8000);
  await turns.run({ ...scan, caller: 'eve' }, forgotten.run);
  expect([renewed, forgotten].map(({ limits }) => limits)).toEqual([[queryMs], [firstTryMs]]);
});
