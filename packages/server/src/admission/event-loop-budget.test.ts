import { expect, it } from 'vitest';
import { EventLoopBudget } from './event-loop-budget.ts';

const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Notes that clients connect, one in each iteration of the event loop. */
async function connect(budget: EventLoopBudget, count: number, order: string[]): Promise<void> {
  for (let connected = 0; connected < count; connected += 1) {
    await nextIteration();
    budget.noteConnection();
    order.push('connected');
  }
}

it('gives each waiting request an iteration of the event loop, and serves clients in rotation', async () => {
  const budget = new EventLoopBudget(10);
  const order: string[] = [];
  const waiting = ['ada', 'ada', 'ada', 'bob'].map(async (client) => {
    await budget.wait(client, {});
    order.push(client);
  });
  await nextIteration();
  expect(budget.isExceeded).toBe(true);
  await Promise.all(waiting);
  expect(order).toEqual(['ada', 'ada', 'bob', 'ada']);
  expect(budget.isExceeded).toBe(false);
});

it('yields to clients that connect, but not endlessly', async () => {
  const budget = new EventLoopBudget(10);
  const order: string[] = [];
  const connecting = connect(budget, 5, order);
  await budget.wait('ada', {});
  expect(order).toHaveLength(5);
  await connecting;
  const endless = connect(budget, 100, order);
  await budget.wait('ada', {});
  expect(order).toHaveLength(5 + 32);
  await endless;
});

it('refuses a request where too many wait', async () => {
  const budget = new EventLoopBudget(1);
  const waiting = [budget.wait('ada', {}), budget.wait('ada', {})];
  await expect(budget.wait('ada', {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await Promise.all(waiting);
});
