import { expect, it } from 'vitest';
import { TakingTurns } from './taking-turns.ts';

it('runs no more jobs at a time than there are places', async () => {
  const turns = new TakingTurns({ places: 2 });
  let running = 0;
  let most = 0;
  const job = async (): Promise<void> => {
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await Promise.all(Array.from({ length: 9 }, (_, index) => turns.run(`user-${index % 3}`, job)));
  expect(most).toBe(2);
});

it('serves callers in turn, however many jobs of one of them wait', async () => {
  const turns = new TakingTurns({ places: 1 });
  const log: string[] = [];
  const run = (caller: string | null, name: string): Promise<void> =>
    turns.run(caller, async () => {
      log.push(name);
      await new Promise((resolve) => setImmediate(resolve));
    });
  await Promise.all([
    ...[1, 2, 3, 4].map((n) => run('mallory', `mallory ${n}`)),
    run('ada', 'ada 1'),
    run(null, 'app 1'),
    run('ada', 'ada 2'),
  ]);
  expect(log).toEqual(['mallory 1', 'mallory 2', 'ada 1', 'app 1', 'mallory 3', 'ada 2', 'mallory 4']);
});

it('leaves places for others where one caller may have only some', async () => {
  const turns = new TakingTurns({ places: 3, placesEach: 2 });
  const log: string[] = [];
  const end = Promise.withResolvers<void>();
  const run = (caller: string): Promise<void> =>
    turns.run(caller, async () => {
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

it('runs the next job after one that throws', async () => {
  const turns = new TakingTurns({ places: 1 });
  const failing = turns.run('ada', () => Promise.reject(new Error('no')));
  const next = turns.run('ada', async () => 'done');
  await expect(failing).rejects.toThrow('no');
  await expect(next).resolves.toBe('done');
});

it('refuses a job that has waited for too long, without running it, and serves the others', async () => {
  const turns = new TakingTurns({ places: 1, maxWaitMs: 20 });
  const blocked = Promise.withResolvers<void>();
  const first = turns.run('ada', () => blocked.promise);
  let hasRun = false;
  const impatient = turns.run('bob', async () => {
    hasRun = true;
  });
  await expect(impatient).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const patient = turns.run('bob', async () => 'done');
  blocked.resolve();
  await first;
  await expect(patient).resolves.toBe('done');
  await expect(turns.run('ada', async () => 'free again')).resolves.toBe('free again');
  expect(hasRun).toBe(false);
});
