import { expect, it } from 'vitest';
import { Mutex } from './mutex.ts';

it('runs jobs one at a time, in the order they arrive', async () => {
  const mutex = new Mutex();
  const log: string[] = [];
  const job = (name: string) => async (): Promise<void> => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`${name} ends`);
  };
  await Promise.all([mutex.run(job('a')), mutex.run(job('b')), mutex.run(job('c'))]);
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

it('runs the next job after one that throws', async () => {
  const mutex = new Mutex();
  const failing = mutex.run(() => Promise.reject(new Error('no')));
  const next = mutex.run(() => 'done');
  await expect(failing).rejects.toThrow('no');
  await expect(next).resolves.toBe('done');
});

it('refuses a job that has waited longer than its limit, and does not run it', async () => {
  const mutex = new Mutex();
  const blocked = Promise.withResolvers<void>();
  const first = mutex.run(() => blocked.promise);
  const impatient = mutex.run(() => 'never', 20);
  const patient = mutex.run(() => 'done');
  await expect(impatient).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  blocked.resolve();
  await first;
  await expect(patient).resolves.toBe('done');
});

it('stays locked while it is passed from one job to the next', async () => {
  const mutex = new Mutex();
  expect(mutex.isLocked).toBe(false);
  const seen: boolean[] = [];
  const first = mutex.run(() => undefined);
  const second = mutex.run(() => undefined);
  seen.push(mutex.isLocked);
  await first;
  seen.push(mutex.isLocked);
  await second;
  expect(seen).toEqual([true, true]);
  expect(mutex.isLocked).toBe(false);
});
