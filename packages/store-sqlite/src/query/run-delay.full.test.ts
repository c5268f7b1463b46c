import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { readRunDelayMs, timeLeft } from './run-delay.ts';

it.each([
  { tookMs: 0, delayedMs: 0, left: 2000 },
  { tookMs: 1999, delayedMs: 0, left: 1 },
  { tookMs: 2000, delayedMs: 0, left: 0 },
  { tookMs: 2500, delayedMs: 600, left: 100 },
  { tookMs: 5900, delayedMs: 5800, left: 100 },
  { tookMs: 6000, delayedMs: 5900, left: 0 },
])('leaves $left of 2000 ms after $tookMs ms, of which $delayedMs had no core', ({ left, ...progress }) => {
  expect(timeLeft(2000, progress)).toBe(left);
});

it('tells how long a process has waited for a core, and zero once it has ended', async () => {
  const busy = Array.from({ length: availableParallelism() + 1 }, startBusy);
  const [first] = busy as [ChildProcess];
  await expect.poll(() => Math.max(...busy.map(({ pid = 0 }) => readRunDelayMs(pid)))).toBeGreaterThan(10);
  const ended = once(first, 'exit');
  first.kill('SIGKILL');
  await ended;
  expect(readRunDelayMs(first.pid ?? 0)).toBe(0);
});

function startBusy(): ChildProcess {
  const child = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
