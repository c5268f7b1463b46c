import { expect, it } from 'vitest';
import { createHashQueue, type HashQueue } from './hash-queue.ts';

const busy = { code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: 1 } };

/** Enters work whose turn is noted, and which lasts until others had time to enter. */
function createTurns(queue: HashQueue): {
  readonly turns: string[];
  readonly enter: (network: string, name?: string) => Promise<unknown>;
} {
  const turns: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    turns.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    return name;
  };
  const enter = (network: string, name = network): Promise<unknown> =>
    queue.run(network, work(name)).catch((error: unknown) => error);
  return { turns, enter };
}

it('lets a polite network wait for the next place, while a hostile one keeps 512 waiting', async () => {
  const { turns, enter } = createTurns(createHashQueue({ concurrency: 4, maxWaiting: 512 }));
  const flood = Array.from({ length: 600 }, () => enter('hostile'));
  const polite = enter('polite');
  const more = Array.from({ length: 600 }, () => enter('hostile'));
  expect(await polite).toBe('polite');
  // The four that ran already, and one before each turn.
  expect(turns.indexOf('polite')).toBeLessThanOrEqual(5);
  const outcomes = await Promise.all([...flood, ...more]);
  const refused = outcomes.filter((outcome) => outcome !== 'hostile');
  expect(outcomes.length - refused.length).toBeGreaterThanOrEqual(4 + 511);
  expect(refused).toEqual(refused.map(() => expect.objectContaining(busy) as unknown));
});

it('serves networks in turn, and each in the order of its arrivals', async () => {
  const { turns, enter } = createTurns(createHashQueue({ concurrency: 1, maxWaiting: 10 }));
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => enter(name.slice(0, 1), name));
  await Promise.all(all);
  expect(turns).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

it('refuses the last of the longest line in favour of shorter ones, until they are equal', async () => {
  const { turns, enter } = createTurns(createHashQueue({ concurrency: 1, maxWaiting: 4 }));
  const long = ['a0', 'a1', 'a2', 'a3', 'a4'].map((name) => enter('a', name));
  const short = ['b1', 'b2', 'b3'].map((name) => enter('b', name));
  const outcomes = await Promise.all([...long, ...short]);
  const refused = expect.objectContaining(busy) as unknown;
  expect(outcomes).toEqual(['a0', 'a1', 'a2', refused, refused, 'b1', 'b2', refused]);
  expect(turns).toEqual(['a0', 'a1', 'b1', 'a2', 'b2']);
});

it('refuses a newcomer when each of many networks has one waiting', async () => {
  const { enter } = createTurns(createHashQueue({ concurrency: 1, maxWaiting: 3 }));
  const first = ['running', 'a', 'b', 'c'].map((network) => enter(network));
  expect(await enter('d')).toMatchObject(busy);
  expect(await enter('a')).toMatchObject(busy);
  expect(await Promise.all(first)).toEqual(['running', 'a', 'b', 'c']);
});

it('runs as many at a time as allowed, whatever fails, and keeps nothing of what is done', async () => {
  const queue = createHashQueue({ concurrency: 2, maxWaiting: 100 });
  let running = 0;
  let most = 0;
  const work = (index: number) => async (): Promise<number> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (index % 3 === 0) throw new RangeError('no');
    return index;
  };
  for (let round = 0; round < 3; round += 1) {
    const all = Array.from({ length: 102 }, (_, index) => queue.run(`network ${index % 7}`, work(index)));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(68);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(reasons.every((reason) => reason instanceof RangeError)).toBe(true);
    expect([running, most]).toEqual([0, 2]);
  }
});
