import { expect, it } from 'vitest';
import { LoopTurns } from './loop-turns.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Notes that clients connect, one in each turn of the event loop. */
async function connect(turns: LoopTurns, count: number, order: string[]): Promise<void> {
  for (let connected = 0; connected < count; connected += 1) {
    await nextTurn();
    turns.noteConnection();
    order.push('connected');
  }
}

it('gives one turn of the event loop to each request that waits, and clients theirs in turn', async () => {
  const turns = new LoopTurns(10);
  const order: string[] = [];
  const waiting = ['ada', 'ada', 'ada', 'bob'].map(async (client) => {
    await turns.wait(client, {});
    order.push(client);
  });
  await nextTurn();
  expect(turns.areTaken).toBe(true);
  await Promise.all(waiting);
  expect(order).toEqual(['ada', 'ada', 'bob', 'ada']);
  expect(turns.areTaken).toBe(false);
});

it('leaves turns to those who connect, but not all of them', async () => {
  const turns = new LoopTurns(10);
  const order: string[] = [];
  const connecting = connect(turns, 5, order);
  await turns.wait('ada', {});
  expect(order).toHaveLength(5);
  await connecting;
  const endless = connect(turns, 100, order);
  await turns.wait('ada', {});
  expect(order).toHaveLength(5 + 32);
  await endless;
});

it('refuses a request where too many wait', async () => {
  const turns = new LoopTurns(1);
  const waiting = [turns.wait('ada', {}), turns.wait('ada', {})];
  await expect(turns.wait('ada', {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await Promise.all(waiting);
});
