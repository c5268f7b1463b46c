import { createArgon2Hasher } from '@x/auth';
import { createMemoryStores } from '@x/store-memory';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createServer, type Server } from './create-server.ts';
import { createPruningSchedule, type PruningSchedule } from './pruning-schedule.ts';
import { type LogLine, recordingLogger } from './testing/recording-logger.ts';
import { generateKeys } from './testing/token-forge.ts';

const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
  // In the middle of what it may be, so that each pause is exactly what was asked for.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Scheduled {
  readonly schedule: PruningSchedule;
  readonly prune: ReturnType<typeof vi.fn<(signal: AbortSignal) => Promise<unknown>>>;
  readonly lines: readonly LogLine[];
}

function createScheduled(prune: (signal: AbortSignal) => Promise<unknown>, pauseMs?: number): Scheduled {
  const { logger, lines } = recordingLogger();
  const spy = vi.fn<(signal: AbortSignal) => Promise<unknown>>(prune);
  const schedule = createPruningSchedule({ prune: spy, logger, ...(pauseMs !== undefined && { pauseMs }) });
  onTestFinished(() => schedule.stop());
  return { schedule, prune: spy, lines };
}

describe('a pruning schedule', () => {
  it('does nothing before it is started, then prunes after each pause of ten minutes', async () => {
    const { schedule, prune } = createScheduled(async () => ({}));
    await vi.advanceTimersByTimeAsync(60 * minute);
    expect(prune).not.toHaveBeenCalled();
    schedule.start();
    schedule.start();
    for (let count = 1; count <= 3; count += 1) {
      await vi.advanceTimersByTimeAsync(10 * minute - 1);
      expect(prune).toHaveBeenCalledTimes(count - 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(prune).toHaveBeenCalledTimes(count);
      schedule.start();
    }
  });

  it.each([
    [0, 80],
    [0.25, 90],
    [0.75, 110],
    [0.999_999, 119],
  ])('waits up to a fifth shorter or longer: by chance %d, %d of 100 ms', async (chance, pause) => {
    vi.mocked(Math.random).mockReturnValue(chance);
    const { schedule, prune } = createScheduled(async () => ({}), 100);
    schedule.start();
    await vi.advanceTimersByTimeAsync(pause - 1);
    expect(prune).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(prune).toHaveBeenCalledTimes(1);
  });

  it('counts the pause from the end of a pruning, so that two never overlap', async () => {
    const gate = Promise.withResolvers<void>();
    const { schedule, prune } = createScheduled(() => gate.promise);
    schedule.start();
    await vi.advanceTimersByTimeAsync(100 * minute);
    expect(prune).toHaveBeenCalledTimes(1);
    gate.resolve();
    await vi.advanceTimersByTimeAsync(10 * minute - 1);
    expect(prune).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(prune).toHaveBeenCalledTimes(2);
  });

  it('logs a pruning that fails, rejecting or throwing, and goes on', async () => {
    const [away, broken] = [new Error('the database is away'), new Error('broken')];
    const { schedule, prune, lines } = createScheduled(async () => ({}));
    prune.mockRejectedValueOnce(away).mockImplementationOnce(() => {
      throw broken;
    });
    schedule.start();
    await vi.advanceTimersByTimeAsync(30 * minute);
    expect(prune).toHaveBeenCalledTimes(3);
    expect(lines).toEqual([away, broken].map((err) => ({ level: 'warn', fields: { err }, message: 'pruning failed' })));
  });

  it('stopped in a pause, prunes no more and can not be started again', async () => {
    const { schedule, prune } = createScheduled(async () => ({}));
    schedule.start();
    await vi.advanceTimersByTimeAsync(10 * minute);
    await schedule.stop();
    await schedule.stop();
    schedule.start();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60 * minute);
    expect(prune).toHaveBeenCalledTimes(1);
  });

  it('stopped before it is started, never starts', async () => {
    const { schedule, prune } = createScheduled(async () => ({}));
    await schedule.stop();
    schedule.start();
    expect(vi.getTimerCount()).toBe(0);
    expect(prune).not.toHaveBeenCalled();
  });

  it.each(['resolve', 'reject'] as const)('stopped in a pruning, tells it and waits for it to %s', async (settle) => {
    const gate = Promise.withResolvers<void>();
    const { schedule, prune } = createScheduled(() => gate.promise);
    schedule.start();
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(prune.mock.calls[0]?.[0].aborted).toBe(false);
    let isStopped = false;
    const stopping = schedule.stop().then(() => (isStopped = true));
    expect(prune.mock.calls[0]?.[0].aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(minute);
    expect(isStopped).toBe(false);
    if (settle === 'resolve') gate.resolve();
    else gate.reject(new Error('cut off'));
    await stopping;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps no process alive', async () => {
    vi.useRealTimers();
    const { schedule } = createScheduled(async () => ({}));
    const timers = vi.spyOn(globalThis, 'setTimeout');
    schedule.start();
    const timer = timers.mock.results[0]?.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
    await schedule.stop();
  });

  it('runs where timers are numbers, as they are in workers and in browsers', async () => {
    vi.useRealTimers();
    const { schedule, prune } = createScheduled(async () => ({}));
    const timers = vi.spyOn(globalThis, 'setTimeout').mockReturnValue(1 as unknown as NodeJS.Timeout);
    schedule.start();
    timers.mock.calls[0]?.[0]();
    await schedule.stop();
    expect(prune).toHaveBeenCalledTimes(1);
  });
});

describe('a server', () => {
  async function createQuietServer(): Promise<{
    readonly server: Server;
    readonly prune: () => number;
    readonly lines: readonly LogLine[];
  }> {
    const { logger, lines } = recordingLogger();
    const database = createMemoryStores({ clock: { now: () => new Date() } });
    const spies = [database.sessions, database.rateLimits, database.events].map((store) => vi.spyOn(store, 'prune'));
    const server = await createServer({
      database,
      logger,
      auth: {
        production: false,
        session: { strategy: 'jwt', algorithm: 'ES256' },
        passwordHasher: createArgon2Hasher({ memoryKib: 8, passes: 1 }),
        ...generateKeys().pem,
      },
    });
    onTestFinished(() => server.close());
    return { server, lines, prune: () => Math.min(...spies.map((spy) => spy.mock.calls.length)) };
  }

  it('prunes every ten minutes once it is initialized, however often, and until it is closed', async () => {
    const { server, prune } = await createQuietServer();
    await vi.advanceTimersByTimeAsync(30 * minute);
    expect(prune()).toBe(0);
    await server.initialize();
    await server.initialize();
    expect(prune()).toBe(0);
    for (let count = 1; count <= 3; count += 1) {
      await vi.advanceTimersByTimeAsync(10 * minute);
      expect(prune()).toBe(count);
    }
    await server.close();
    await vi.advanceTimersByTimeAsync(30 * minute);
    expect([prune(), vi.getTimerCount()]).toEqual([3, 0]);
  });

  it('serves on where a pruning fails, and prunes again', async () => {
    const { server, prune, lines } = await createQuietServer();
    await server.initialize();
    vi.spyOn(server.stores.sessions, 'prune').mockRejectedValueOnce(new Error('the database is away'));
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(lines).toMatchObject([{ level: 'warn', message: 'pruning failed' }]);
    expect((await server.fetch(new Request('http://localhost/readyz'))).status).toBe(200);
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect([prune(), lines.length]).toEqual([1, 2]);
  });

  it('waits for a pruning that is under way when it is closed, before it lets go of the stores', async () => {
    const { server } = await createQuietServer();
    await server.initialize();
    const gate = Promise.withResolvers<number>();
    const rateLimits = vi.spyOn(server.stores.rateLimits, 'prune');
    vi.spyOn(server.stores.sessions, 'prune').mockReturnValueOnce(gate.promise);
    const closeStores = vi.spyOn(server.stores, 'close');
    await vi.advanceTimersByTimeAsync(10 * minute);
    const closing = server.close();
    await vi.advanceTimersByTimeAsync(1000);
    expect(closeStores).not.toHaveBeenCalled();
    gate.resolve(200);
    await closing;
    expect(closeStores).toHaveBeenCalledTimes(1);
    // What follows the batch under way is not begun.
    expect(rateLimits).not.toHaveBeenCalled();
  });
});
