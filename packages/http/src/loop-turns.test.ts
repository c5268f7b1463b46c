import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { noteConnection, ownTurn } from './loop-turns.ts';

// The last turn of the test before has ended by then.
beforeEach(async () => {
  for (let turns = 0; turns < 4; turns += 1) await nextTurn();
});

/** Writes a dot into the log in each turn of the event loop, until the log has an end. */
function markTurns(log: string[], atEach: () => void = () => {}): void {
  log.push('.');
  atEach();
  if (!log.includes('c')) setImmediate(() => markTurns(log, atEach));
}

function takeThreeTurns(log: string[]): Promise<unknown> {
  return Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      await ownTurn();
      log.push(name);
    }),
  );
}

it('gives each step a turn of the event loop, with others between them', async () => {
  const log: string[] = [];
  const steps = takeThreeTurns(log);
  setImmediate(() => markTurns(log));
  await steps;
  expect(log.join('')).toMatch(/^\.?a\.{2,4}b\.{2,4}c$/);
});

it('leaves turns to clients who connect, until none does any more', async () => {
  const log: string[] = [];
  let left = 10;
  const steps = takeThreeTurns(log);
  setImmediate(() => markTurns(log, () => left-- > 0 && noteConnection()));
  await steps;
  expect(log.join('')).toMatch(/^\.?a\.{8,14}b\.{2,4}c$/);
});

it('leaves no more than a few dozen turns to clients who connect all the time', async () => {
  const log: string[] = [];
  const steps = takeThreeTurns(log);
  setImmediate(() => markTurns(log, noteConnection));
  await steps;
  expect(log.join('')).toMatch(/^\.?a\.{32,36}b\.{32,36}c$/);
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
