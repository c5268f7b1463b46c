import { expect, it } from 'vitest';
import { RecentCallers } from './recent-callers.ts';

it('remembers a caller for a while after they were last added', () => {
  let time = 0;
  const recent = new RecentCallers({ rememberedMs: 10, now: () => time });
  recent.add('ada');
  recent.add(null);
  time = 9;
  recent.add('ada');
  expect(['ada', null, 'bob'].map((caller) => recent.has(caller))).toEqual([true, true, false]);
  time = 10;
  expect(['ada', null].map((caller) => recent.has(caller))).toEqual([true, false]);
  time = 19;
  expect(recent.has('ada')).toBe(false);
});

it('forgets whoever was added the longest ago when there are too many', () => {
  const recent = new RecentCallers({ maxCallers: 2, now: () => 0 });
  for (const caller of ['ada', 'bob', 'ada', 'eve']) recent.add(caller);
  expect(['ada', 'bob', 'eve'].map((caller) => recent.has(caller))).toEqual([true, false, true]);
});
