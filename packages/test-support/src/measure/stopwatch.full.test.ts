import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startStopwatch } from './stopwatch.ts';

it('measures how long a thread sleeps and works, and no more than has passed', async () => {
  const [stopwatch, startedAt] = [startStopwatch(), performance.now()];
  await sleep(50);
  expect(stopwatch()).toBeLessThanOrEqual(performance.now() - startedAt + 1);
  expect(stopwatch()).toBeGreaterThan(0);
});

it('continues after a process that it follows has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const stopwatch = startStopwatch([child.pid ?? 0]);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  const before = stopwatch();
  await sleep(50);
  expect(stopwatch()).toBeGreaterThan(before);
});
