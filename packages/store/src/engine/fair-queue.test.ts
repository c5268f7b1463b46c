import { expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const busy = { code: 'SERVICE_UNAVAILABLE', extras: { reason: 'too_busy', retryAfter: 1 } };

/** Enqueues jobs whose starts are recorded. Each job ends after other jobs had time to enqueue. */
function recordStarts(queue: FairQueue): {
  readonly starts: string[];
  readonly enqueue: (key: string | readonly string[], name?: string) => Promise<unknown>;
} {
  const starts: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    starts.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    return name;
  };
  const enqueue = (key: string | readonly string[], name = String(key)): Promise<unknown> =>
    queue.run(key, work(name)).catch((error: unknown) => error);
  return { starts, enqueue };
}

it('starts the job of a polite key after the next one that ends, while a hostile key keeps 512 waiting', async () => {
  const { starts, enqueue } = recordStarts(new FairQueue({ concurrency: 4, maxWaiting: 512 }));
  const flood = Array.from({ length: 600 }, () => enqueue('hostile'));
  const polite = enqueue('polite');
  const more = Array.from({ length: 600 }, () => enqueue('hostile'));
  expect(await polite).toBe('polite');
  // Four jobs ran already, and one more of the hostile key.
  expect(starts.indexOf('polite')).toBeLessThanOrEqual(5);
  const outcomes = await Promise.all([...flood, ...more]);
  const refused = outcomes.filter((outcome) => outcome !== 'hostile');
  expect(outcomes.length - refused.length).toBeGreaterThanOrEqual(4 + 511);
  expect(refused).toEqual(refused.map(() => expect.objectContaining(busy) as unknown));
});

it('serves keys in rotation, and each in the order of its arrivals', async () => {
  const { starts, enqueue } = recordStarts(new FairQueue({ concurrency: 1, maxWaiting: 10 }));
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => enqueue(name.slice(0, 1), name));
  await Promise.all(all);
  expect(starts).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

it('refuses the last job of the longest flow in favour of shorter ones, until they are equal', async () => {
  const { starts, enqueue } = recordStarts(new FairQueue({ concurrency: 1, maxWaiting: 4 }));
  const long = ['a0', 'a1', 'a2', 'a3', 'a4'].map((name) => enqueue('a', name));
  const short = ['b1', 'b2', 'b3'].map((name) => enqueue('b', name));
  const outcomes = await Promise.all([...long, ...short]);
  const refused = expect.objectContaining(busy) as unknown;
  expect(outcomes).toEqual(['a0', 'a1', 'a2', refused, refused, 'b1', 'b2', refused]);
  expect(starts).toEqual(['a0', 'a1', 'b1', 'a2', 'b2']);
});

it('refuses a new job when each of many keys has one waiting', async () => {
  const { enqueue } = recordStarts(new FairQueue({ concurrency: 1, maxWaiting: 3 }));
  const first = ['running', 'a', 'b', 'c'].map((key) => enqueue(key));
  expect(await enqueue('d')).toMatchObject(busy);
  expect(await enqueue('a')).toMatchObject(busy);
  expect(await Promise.all(first)).toEqual(['running', 'a', 'b', 'c']);
});

it('runs as many at a time as allowed, also after failures, and keeps nothing of finished jobs', async () => {
  const queue = new FairQueue({ concurrency: 2, maxWaiting: 100 });
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
    const all = Array.from({ length: 102 }, (_, index) => queue.run(`key ${index % 7}`, work(index)));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(68);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(reasons.every((reason) => reason instanceof RangeError)).toBe(true);
    expect([running, most]).toEqual([0, 2]);
  }
});

it('starts jobs of other keys while one key is at its limit', async () => {
  const queue = new FairQueue({ concurrency: 3, concurrencyPerKey: 2 });
  const log: string[] = [];
  const end = Promise.withResolvers<void>();
  const run = (caller: string): Promise<void> =>
    queue.run(caller, async () => {
      log.push(caller);
      await end.promise;
    });
  const all = ['mallory', 'mallory', 'mallory', 'mallory', 'ada', 'bob'].map(run);
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['mallory', 'mallory', 'ada']);
  end.resolve();
  await Promise.all(all);
  expect(log).toEqual(['mallory', 'mallory', 'ada', 'mallory', 'bob', 'mallory']);
});

it('refuses a job that has waited for too long, without running it, and serves the others', async () => {
  const queue = new FairQueue({ concurrency: 1, maxWaitMs: 20 });
  const blocked = Promise.withResolvers<void>();
  const first = queue.run('ada', () => blocked.promise);
  let hasRun = false;
  const impatient = queue.run('bob', async () => {
    hasRun = true;
  });
  await expect(impatient).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const patient = queue.run('bob', async () => 'done');
  blocked.resolve();
  await first;
  await expect(patient).resolves.toBe('done');
  await expect(queue.run('ada', async () => 'free again')).resolves.toBe('free again');
  expect(hasRun).toBe(false);
});

it('runs a job with several keys once each is below its limit, and starts all jobs that fit after an end', async () => {
  const queue = new FairQueue({ concurrencyPerKey: (key) => (key === 'office' ? 2 : 1) });
  const started: string[] = [];
  const [end, bothStarted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run = (keys: readonly string[], until: Promise<void>): Promise<void> =>
    queue.run(keys, () => {
      started.push(keys.join(' '));
      if (started.length === 4) bothStarted.resolve();
      return until;
    });
  const all = [run(['office', 'ada'], end.promise), run(['office', 'bob'], bothStarted.promise)];
  all.push(run(['home', 'ada'], bothStarted.promise), run(['office', 'cleo'], bothStarted.promise));
  expect([started, queue.waiting]).toEqual([['office ada', 'office bob'], 2]);
  end.resolve();
  await Promise.all(all);
  expect([started.slice(2), queue.waiting]).toEqual([['home ada', 'office cleo'], 0]);
});

it('serves a flow in rotation with others that share one of its keys', async () => {
  const { starts, enqueue } = recordStarts(new FairQueue({ concurrencyPerKey: 1 }));
  const all = [1, 2, 3].map((number) => enqueue('office', `office ${number}`));
  await Promise.all([...all, enqueue(['office', 'ada'], 'ada')]);
  expect(starts).toEqual(['office 1', 'office 2', 'ada', 'office 3']);
});

it('refuses a job whose signal is aborted while it waits, and none that runs', async () => {
  const queue = new FairQueue({ concurrency: 1 });
  const [running, gone] = [new AbortController(), new AbortController()];
  const blocked = Promise.withResolvers<string>();
  const first = queue.run('ada', () => blocked.promise, running);
  const second = queue.run('ada', async () => 'second', gone);
  const third = queue.run('ada', async () => 'third', new AbortController());
  gone.abort();
  running.abort();
  await expect(second).rejects.toMatchObject(busy);
  await expect(queue.run('ada', async () => 'late', gone)).rejects.toMatchObject(busy);
  expect(queue.waiting).toBe(1);
  blocked.resolve('first');
  expect(await Promise.all([first, third])).toEqual(['first', 'third']);
});

it('counts the jobs of a key, whether they run or wait', async () => {
  const queue = new FairQueue({ concurrency: 1 });
  const { enqueue } = recordStarts(queue);
  const enqueued = [enqueue('a'), enqueue(['a', 'b']), enqueue('c')];
  expect(['a', 'b', 'c', 'd'].map((key) => queue.countOf(key))).toEqual([2, 1, 1, 0]);
  await Promise.all(enqueued);
  expect(['a', 'b', 'c'].map((key) => queue.countOf(key))).toEqual([0, 0, 0]);
});
