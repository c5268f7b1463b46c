import { measurePause } from '@x/test-support/measure';
import { expect, it } from 'vitest';
import { countOf, openCounting, startThread } from '../testing/counting-driver.ts';

it('runs a long query in another thread, without blocking the event loop', async () => {
  await using opened = await openCounting();
  await startThread(opened);
  const { longestMs } = await measurePause(async () => {
    expect(await opened.count(1_000_000)).toEqual(countOf(1_000_000));
  });
  expect(longestMs).toBeLessThan(50);
});

it('runs a burst of searches of one caller off the event loop', async () => {
  await using opened = await openCounting();
  await startThread(opened);
  const { longestMs } = await measurePause(async () => {
    await Promise.all(Array.from({ length: 64 }, async () => opened.count(50_000)));
  });
  expect(longestMs).toBeLessThan(50);
});
