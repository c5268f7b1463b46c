import { expect, it } from 'vitest';
import { ConsumptionQueue } from './consumption-queue.ts';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';

const periodStart = new Date(0);

/** A database of one counter, whose statements end on request. */
function openCounter(): {
  readonly queue: ConsumptionQueue;
  readonly amounts: number[];
  readonly end: (error?: Error) => void;
} {
  const amounts: number[] = [];
  let consumed = 0;
  const running: PromiseWithResolvers<void>[] = [];
  const write = async (_text: string, values: readonly unknown[]): Promise<readonly SqlRow[]> => {
    const [, limit, , amount, highest] = values as readonly [string, string, number, number, number];
    amounts.push(amount);
    const step = Promise.withResolvers<void>();
    running.push(step);
    await step.promise;
    if (consumed > highest) return [];
    consumed += amount;
    return [{ limit_name: limit, consumed }];
  };
  const read = async (): Promise<readonly SqlRow[]> => [
    { limit_name: 'tasks', period_start: 0, tenant_id: 't', consumed },
  ];
  const sql = { write, read } as unknown as SqlExecutor;
  return {
    queue: new ConsumptionQueue(sql),
    amounts,
    end(error) {
      for (const step of running.splice(0))
        if (error) step.reject(error);
        else step.resolve();
    },
  };
}

const consume = (
  queue: ConsumptionQueue,
  amount = 1,
  max = 10,
): Promise<{ readonly outcome: string; readonly consumed: readonly number[] }> =>
  queue.consume({
    tenantId: 't',
    receiptId: crypto.randomUUID(),
    debits: [{ limit: 'tasks', periodStart, amount, max }],
  });

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

it('combines calls that wait for one in progress, and returns to each what the counter was then', async () => {
  const { queue, amounts, end } = openCounter();
  const calls = Array.from({ length: 4 }, () => consume(queue));
  end();
  await settle();
  expect(amounts).toEqual([1, 3]);
  end();
  expect((await Promise.all(calls)).map(({ outcome, consumed }) => [outcome, consumed])).toEqual(
    [1, 2, 3, 4].map((count) => ['consumed', [count]]),
  );
  const late = consume(queue);
  end();
  expect((await late).consumed).toEqual([5]);
  expect(amounts).toEqual([1, 3, 1]);
});

it('runs each call by itself if there is not enough for all, and leaves other calls alone', async () => {
  const { queue, amounts, end } = openCounter();
  const calls = [consume(queue, 9), consume(queue, 1), consume(queue, 1), consume(queue, 1)];
  for (let round = 0; round < 8; round += 1) {
    await settle();
    end();
  }
  const outcomes = await Promise.all(calls);
  expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['consumed', 'consumed', 'refused', 'refused']);
  expect(amounts).toContain(2);
});

it('refuses all at once if there is not enough left for one of them', async () => {
  const { queue, amounts, end } = openCounter();
  const calls = Array.from({ length: 20 }, () => consume(queue, 1, 1));
  for (let round = 0; round < 4; round += 1) {
    await settle();
    end();
  }
  const outcomes = await Promise.all(calls);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['consumed', ...Array<string>(19).fill('refused')]);
  expect(outcomes.map(({ consumed }) => consumed)).toEqual(outcomes.map(() => [1]));
  // The first of all, all others together, where they can go at all, and the first of these.
  expect(amounts.length).toBeLessThanOrEqual(3);
});

it('rejects every waiting call if a step fails, and serves later ones', async () => {
  const { queue, amounts, end } = openCounter();
  const error = new Error('the database is away');
  const reasonOf = (call: Promise<unknown>): Promise<unknown> => call.catch((reason: unknown) => reason);
  const alone = [consume(queue), consume(queue), consume(queue)].map(reasonOf);
  end(error);
  expect(await Promise.all(alone)).toEqual([error, error, error]);
  const first = consume(queue);
  const together = [consume(queue), consume(queue)].map(reasonOf);
  end();
  await first;
  const late = reasonOf(consume(queue));
  await settle();
  end(error);
  expect(await Promise.all([...together, late])).toEqual([error, error, error]);
  expect(amounts).toEqual([1, 1, 2]);
  const next = consume(queue);
  end();
  expect((await next).consumed).toEqual([2]);
});
