import { expect, test } from 'vitest';
import { Mutex } from './mutex.ts';

test('jobs run one at a time, in the order they came', async () => {
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

test('a job that throws passes its turn on', async () => {
  const turns = new Mutex();
  const failing = turns.run(() => Promise.reject(new Error('no')));
  const next = turns.run(() => 'done');
  await expect(failing).rejects.toThrow('no');
  await expect(next).resolves.toBe('done');
});

test('a job that waits longer than its limit is refused and leaves the line', async () => {
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

test('a turn that is handed on is taken all the time', async () => {
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
