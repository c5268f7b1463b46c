import { createScryptHasher } from '@x/auth';
import { createServer, type Server } from '@x/server';
import { type Clock, createDatabaseClock, storeUnavailable } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { afterEach, beforeEach, describe, expect, it, type Mock, onTestFinished, vi } from 'vitest';
import { type LogLine, recordingLogger } from '../../support/recording-logger.ts';
import { generateKeys } from '../../support/token-forge.ts';

const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
  // The middle of the random range, so that each pause has exactly the configured length.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface MaintainedServer {
  readonly server: Server;
  readonly prune: () => number;
  readonly lines: readonly LogLine[];
}

async function createMaintainedServer(clock: Clock = { now: () => new Date() }): Promise<MaintainedServer> {
  const { logger, lines } = recordingLogger();
  const database = createMemoryStores({ clock });
  const spies = [database.sessions, database.rateLimits, database.events, database.wallets].map((store) =>
    vi.spyOn(store, 'prune'),
  );
  const server = await createServer({
    database,
    logger,
    auth: {
      production: false,
      session: { strategy: 'jwt', algorithm: 'ES256' },
      passwordHasher: createScryptHasher({ ln: 1, r: 1, p: 1 }),
      ...generateKeys().pem,
    },
  });
  onTestFinished(() => server.close());
  return { server, lines, prune: () => Math.min(...spies.map((spy) => spy.mock.calls.length)) };
}

describe('pruning', () => {
  it('runs every ten minutes once the server is initialized, however often, and until it is closed', async () => {
    const { server, prune } = await createMaintainedServer();
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

  it('does not stop the server if it fails, and runs again', async () => {
    const { server, prune, lines } = await createMaintainedServer();
    await server.initialize();
    vi.spyOn(server.stores.sessions, 'prune').mockRejectedValueOnce(new Error('the database is away'));
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(lines).toMatchObject([{ level: 'warn', message: 'pruning failed' }]);
    expect((await server.fetch(new Request('http://localhost/readyz'))).status).toBe(200);
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect([prune(), lines.length]).toEqual([1, 2]);
  });

  it('does not stop the server if the pruning of wallets fails', async () => {
    const { server, lines } = await createMaintainedServer();
    await server.initialize();
    const wallets = vi.spyOn(server.stores.wallets, 'prune').mockRejectedValueOnce(new Error('the database is away'));
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(lines).toMatchObject([{ level: 'warn', message: 'pruning wallets failed' }]);
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect([wallets.mock.calls.length, lines.length]).toEqual([2, 1]);
  });

  it('is awaited before the stores are closed if it is in progress', async () => {
    const { server } = await createMaintainedServer();
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
    // No batch starts after the current one.
    expect(rateLimits).not.toHaveBeenCalled();
  });
});

describe('the clock of a database', () => {
  interface SkewedServer extends MaintainedServer {
    /** How far the clock of the process is ahead. */
    readonly skew: { ms: number };
    readonly readServerTime: Mock<() => Promise<Date | null>>;
    /** How far the clock of the stores is ahead. */
    readonly errorMs: () => number;
  }

  async function createSkewedServer(): Promise<SkewedServer> {
    const skew = { ms: 30_000 };
    const clock = createDatabaseClock({ processClock: { now: () => new Date(Date.now() + skew.ms) } });
    const maintained = await createMaintainedServer(clock);
    const readServerTime = vi
      .spyOn(maintained.server.stores, 'readServerTime')
      .mockImplementation(async () => new Date());
    return {
      ...maintained,
      skew,
      readServerTime,
      errorMs: () => maintained.server.stores.clock.now().getTime() - Date.now(),
    };
  }

  it('is right once the server is initialized, and again within a minute of a change', async () => {
    const { server, skew, errorMs } = await createSkewedServer();
    await server.initialize();
    await server.initialize();
    expect(errorMs()).toBe(0);
    for (const skewMs of [31_000, -30_000, 0]) {
      const before = skew.ms;
      skew.ms = skewMs;
      await vi.advanceTimersByTimeAsync(minute - 1);
      expect(errorMs()).toBe(skewMs - before);
      await vi.advanceTimersByTimeAsync(1);
      expect(errorMs()).toBe(0);
    }
  });

  it('lets no server start if it cannot be synchronized', async () => {
    const { server, readServerTime, errorMs } = await createSkewedServer();
    readServerTime.mockRejectedValueOnce(storeUnavailable(new Error('connect ECONNREFUSED')));
    await expect(server.initialize()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(vi.getTimerCount()).toBe(0);
    await server.initialize();
    expect(errorMs()).toBe(0);
  });

  it('keeps its offset while the database is away, and logs that', async () => {
    const { server, lines, readServerTime, errorMs } = await createSkewedServer();
    await server.initialize();
    const err = storeUnavailable(new Error('connect ECONNREFUSED'));
    readServerTime.mockRejectedValueOnce(err);
    await vi.advanceTimersByTimeAsync(2 * minute);
    expect(lines).toEqual([{ level: 'warn', fields: { err }, message: 'synchronizing the clock failed' }]);
    expect(errorMs()).toBe(0);
  });

  it('is no longer synchronized once the server is closed, but stays right', async () => {
    const { server, readServerTime, errorMs } = await createSkewedServer();
    await server.initialize();
    await server.close();
    readServerTime.mockClear();
    await vi.advanceTimersByTimeAsync(10 * minute);
    expect(readServerTime).not.toHaveBeenCalled();
    expect([errorMs(), vi.getTimerCount()]).toEqual([0, 0]);
  });
});
