import { expect, it } from 'vitest';
import { LoopShare } from './loop-share.ts';

it('has no time left in a turn whose statements took long, nor in some after it, which are for others', async () => {
  const share = new LoopShare();
  share.take(4);
  expect(share.isSpent).toBe(false);
  share.take(7);
  expect(share.isSpent).toBe(true);
  let turns = 0;
  while (share.isSpent) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  expect(turns).toBeGreaterThan(10);
  expect(turns).toBeLessThan(100);
});

it('lets callers take turns, however many statements of one are waiting', async () => {
  const share = new LoopShare();
  const order: string[] = [];
  const wait = async (caller: string): Promise<void> => {
    await share.wait(caller);
    order.push(caller);
  };
  await Promise.all([...['eve', 'eve', 'eve', 'eve'].map(wait), wait('ada'), wait('bob'), wait('ada')]);
  expect(order).toEqual(['eve', 'ada', 'bob', 'eve', 'ada', 'eve', 'eve']);
});
