import { expect, it } from 'vitest';
import { ownTurn } from './loop-turns.ts';

it('gives each step a turn of the event loop, with others between them', async () => {
  const log: string[] = [];
  const steps = ['a', 'b', 'c'].map(async (name) => {
    await ownTurn();
    log.push(name);
  });
  const turn = (): void => {
    log.push('.');
    if (!log.includes('c')) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(steps);
  expect(log.join('')).toMatch(/^\.?a\.{10,100}b\.{10,100}c$/);
});

it('gives a turn again after all have had theirs', async () => {
  await ownTurn();
  await ownTurn();
  const order: number[] = [];
  await Promise.all(
    [1, 2].map(async (number) => {
      await ownTurn();
      order.push(number);
    }),
  );
  expect(order).toEqual([1, 2]);
});
