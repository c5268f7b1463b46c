import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createSchedule, type Schedule } from './schedule.ts';

const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
  // The middle of the range makes each pause exactly as long as requested.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Scheduled {
  readonly schedule: Schedule;
  readonly run: ReturnType<typeof vi.fn<(signal: AbortSignal) => Promise<unknown>>>;
  readonly failures: readonly unknown[];
}

function createScheduled(work: (signal: AbortSignal) => Promise<unknown>, pauseMs = 10 * minute): Scheduled {
  const failures: unknown[] = [];
  const run = vi.fn<(signal: AbortSignal) => Promise<unknown>>(work);
  const schedule = createSchedule({ run, pauseMs, onFailure: (error) => failures.push(error) });
  onTestFinished(() => schedule.stop());
  return { schedule, run, failures };
}

it('does nothing before it is started, then runs after each pause', async () => {
  const { schedule, run } = createScheduled(async () => ({}));
  await vi.advanceTimersByTimeAsync(60 * minute);
  expect(run).not.toHaveBeenCalled();
  schedule.start();
  schedule.start();
  for (let count = 1; count <= 3; count += 1) {
    await vi.advanceTimersByTimeAsync(10 * minute - 1);
    expect(run).toHaveBeenCalledTimes(count - 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(run).toHaveBeenCalledTimes(count);
    schedule.start();
  }
});

it.each([
  [0, 80],
  [0.25, 90],
  [0.75, 110],
  [0.999_999, 119],
])('waits up to a fifth shorter or longer: with the random number %d, %d instead of 100 ms', async (chance, pause) => {
  vi.mocked(Math.random).mockReturnValue(chance);
  const { schedule, run } = createScheduled(async () => ({}), 100);
  schedule.start();
  await vi.advanceTimersByTimeAsync(pause - 1);
  expect(run).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(1);
});

it('counts the pause from the end of a run, so that two never overlap', async () => {
  const gate = Promise.withResolvers<void>();
  const { schedule, run } = createScheduled(() => gate.promise);
  schedule.start();
  await vi.advanceTimersByTimeAsync(100 * minute);
  expect(run).toHaveBeenCalledTimes(1);
  gate.resolve();
  await vi.advanceTimersByTimeAsync(10 * minute - 1);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(2);
});

it('reports a run that fails, rejecting or throwing, and continues', async () => {
  const [away, broken] = [new Error('the database is away'), new Error('broken')];
  const { schedule, run, failures } = createScheduled(async () => ({}));
  run.mockRejectedValueOnce(away).mockImplementationOnce(() => {
    throw broken;
  });
  schedule.start();
  await vi.advanceTimersByTimeAsync(30 * minute);
  expect(run).toHaveBeenCalledTimes(3);
  expect(failures).toEqual([away, broken]);
});

it('stopped in a pause, runs no more and cannot be started again', async () => {
  const { schedule, run } = createScheduled(async () => ({}));
  schedule.start();
  await vi.advanceTimersByTimeAsync(10 * minute);
  await schedule.stop();
  await schedule.stop();
  schedule.start();
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(60 * minute);
  expect(run).toHaveBeenCalledTimes(1);
});

it('stopped before it is started, never starts', async () => {
  const { schedule, run } = createScheduled(async () => ({}));
  await schedule.stop();
  schedule.start();
  expect(vi.getTimerCount()).toBe(0);
  expect(run).not.toHaveBeenCalled();
});

it.each(['resolve', 'reject'] as const)(
  'stopped in a run, aborts its signal and waits for it to %s',
  async (settle) => {
    const gate = Promise.withResolvers<void>();
    const { schedule, run } = createScheduled(() => gate.promise);
    schedule.start();
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(run.mock.calls[0]?.[0].aborted).toBe(false);
    let isStopped = false;
    const stopping = schedule.stop().then(() => (isStopped = true));
    expect(run.mock.calls[0]?.[0].aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(minute);
    expect(isStopped).toBe(false);
    if (settle === 'resolve') gate.resolve();
    else gate.reject(new Error('cut off'));
    await stopping;
    expect(vi.getTimerCount()).toBe(0);
  },
);

it('keeps no process alive', async () => {
  vi.useRealTimers();
  const { schedule } = createScheduled(async () => ({}));
  const timers = vi.spyOn(globalThis, 'setTimeout');
  schedule.start();
  const timer = timers.mock.results[0]?.value as NodeJS.Timeout;
  expect(timer.hasRef()).toBe(false);
  await schedule.stop();
});

it('runs if timers are numbers, as they are in workers and in browsers', async () => {
  vi.useRealTimers();
  const { schedule, run } = createScheduled(async () => ({}));
  const timers = vi.spyOn(globalThis, 'setTimeout').mockReturnValue(1 as unknown as NodeJS.Timeout);
  schedule.start();
  timers.mock.calls[0]?.[0]();
  await schedule.stop();
  expect(run).toHaveBeenCalledTimes(1);
});
