import { expect, it } from 'vitest';
import { Mutex, withTimeLimit } from './mutex.ts';

it('runs jobs one at a time, in the order they arrive', async () => {
  const turns = new Mutex();
  const log: string[] = [];
  const job = (name: string) => async (): Promise<void> => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`${name} ends`);
  };
  await Promise.all([turns.run(job('a')), turns.run(job('b')), turns.run(job('c'))]);
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

it('runs the next job after one that throws', async () => {
  const turns = new Mutex();
  const failing = turns.run(() => Promise.reject(new Error('no')));
  const next = turns.run(() => 'done');
  await expect(failing).rejects.toThrow('no');
  await expect(next).resolves.toBe('done');
});

it('refuses a job that has waited longer than its limit, and does not run it', async () => {
  const turns = new Mutex();
  const held = Promise.withResolvers<void>();
  const first = turns.run(() => held.promise);
  const impatient = turns.run(() => 'never', 20);
  const patient = turns.run(() => 'done');
  await expect(impatient).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  held.resolve();
  await first;
  await expect(patient).resolves.toBe('done');
});

it('stays locked while it is passed from one job to the next', async () => {
  const turns = new Mutex();
  expect(turns.isLocked).toBe(false);
  const seen: boolean[] = [];
  const first = turns.run(() => undefined);
  const second = turns.run(() => undefined);
  seen.push(turns.isLocked);
  await first;
  seen.push(turns.isLocked);
  await second;
  expect(seen).toEqual([true, true]);
  expect(turns.isLocked).toBe(false);
});

it('settles as work that ends in time does', async () => {
  expect(await withTimeLimit(20_000, async () => 'done')).toBe('done');
  expect(await withTimeLimit(Infinity, async () => 'done')).toBe('done');
  const failing = withTimeLimit(20_000, async () => {
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
});

it('rejects work that takes longer with SERVICE_UNAVAILABLE, and ignores its later outcome', async () => {
  const held = Promise.withResolvers<void>();
  await expect(withTimeLimit(5, () => held.promise)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  held.reject(new RangeError('no'));
});
