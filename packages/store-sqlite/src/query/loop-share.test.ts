import { expect, it } from 'vitest';
import { LoopShare } from './loop-share.ts';

it('has no time left in a turn whose statements took long, and has in the next', async () => {
  const share = new LoopShare();
  share.take(4);
  expect(share.isSpent).toBe(false);
  share.take(7);
  expect(share.isSpent).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(share.isSpent).toBe(false);
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
