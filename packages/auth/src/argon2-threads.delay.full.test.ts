import { describe, expect, it } from 'vitest';
import { createDelay, type Delay } from './argon2-threads.ts';

describe('createDelay', () => {
  it('delays outcomes while more than the limit are in progress, then releases all at once', async () => {
    const tasks = startTasks(createDelay(2), 5);
    tasks.finish(0);
    tasks.finish(3);
    await settle();
    expect(tasks.settled).toEqual([]);
    tasks.finish(1);
    await settle();
    expect(tasks.settled).toEqual([0, 3, 1]);
  });

  it('delays nothing while few are in progress', async () => {
    const tasks = startTasks(createDelay(2), 3);
    for (const [index, settled] of [[2], [2, 0], [2, 0, 1]].entries()) {
      tasks.finish(settled[index] ?? 0);
      await settle();
      expect(tasks.settled).toEqual(settled);
    }
  });

  it('delays failures too, and counts them', async () => {
    const delay = createDelay(1);
    const late = Promise.withResolvers<string>();
    const outcomes = [
      delay(() => Promise.reject(new Error('no memory'))),
      delay(() => Promise.reject(new Error('no thread'))),
      delay(() => late.promise),
    ];
    await expect(Promise.allSettled(outcomes.slice(0, 2))).resolves.toMatchObject([
      { reason: { message: 'no memory' } },
      { reason: { message: 'no thread' } },
    ]);
    late.resolve('done');
    expect(await outcomes[2]).toBe('done');
  });
});

interface Tasks {
  /** The tasks whose outcome was handed out, in order. */
  readonly settled: readonly number[];
  finish(task: number): void;
}

function startTasks(delay: Delay, count: number): Tasks {
  const settled: number[] = [];
  const tasks = Array.from({ length: count }, (_, index) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void delay(() => promise).then(() => settled.push(index));
    return resolve;
  });
  return { settled, finish: (task) => tasks[task]?.() };
}

/** Lets every promise that is due have its say. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
