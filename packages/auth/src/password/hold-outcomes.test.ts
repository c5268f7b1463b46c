import { describe, expect, it } from 'vitest';
import { type Hold, holdOutcomes } from './argon2-threads.ts';

describe('holdOutcomes', () => {
  it('keeps outcomes back while more than so many are to come, then hands out all at once', async () => {
    const tasks = startTasks(holdOutcomes(2), 5);
    tasks.finish(0);
    tasks.finish(3);
    await settle();
    expect(tasks.told).toEqual([]);
    tasks.finish(1);
    await settle();
    expect(tasks.told).toEqual([0, 3, 1]);
  });

  it('keeps nothing back where few are under way, to the last', async () => {
    const tasks = startTasks(holdOutcomes(2), 3);
    for (const [index, told] of [[2], [2, 0], [2, 0, 1]].entries()) {
      tasks.finish(told[index] ?? 0);
      await settle();
      expect(tasks.told).toEqual(told);
    }
  });

  it('keeps failures back, too, and counts them', async () => {
    const hold = holdOutcomes(1);
    const late = Promise.withResolvers<string>();
    const outcomes = [
      hold(() => Promise.reject(new Error('no memory'))),
      hold(() => Promise.reject(new Error('no thread'))),
      hold(() => late.promise),
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
  readonly told: readonly number[];
  finish(task: number): void;
}

function startTasks(hold: Hold, count: number): Tasks {
  const told: number[] = [];
  const tasks = Array.from({ length: count }, (_, index) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void hold(() => promise).then(() => told.push(index));
    return resolve;
  });
  return { told, finish: (task) => tasks[task]?.() };
}

/** Lets every promise that is due have its say. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
