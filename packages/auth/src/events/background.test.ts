import { expect, it } from 'vitest';
import { createBackgroundTasks } from './background.ts';

it('waits for all work, including work that is added while it waits', async () => {
  const tasks = createBackgroundTasks();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  tasks.add(first.promise.then(() => void done.push('first')));
  const drained = tasks.drain().then(() => done.push('drained'));
  tasks.add(second.promise.then(() => void done.push('second')));
  first.resolve();
  await first.promise;
  second.resolve();
  await drained;
  expect(done).toEqual(['first', 'second', 'drained']);
});

it('does not wait if no work was added', async () => {
  await expect(createBackgroundTasks().drain()).resolves.toBeUndefined();
});
