import { expect, it, vi } from 'vitest';
import { createDatabaseClock, type DatabaseClock } from './database-clock.ts';
import { storeUnavailable } from './errors.ts';

const start = Date.parse('2026-01-01T00:00:00Z');

/** A round trip to the server, in milliseconds. Its time passes while the clock waits for the answer. */
interface Trip {
  readonly thereMs: number;
  readonly backMs: number;
}

/** A process with its own clock, and the server of its database, which has the correct time. */
class Machines {
  /** The real moment. */
  time: number = start;
  /** How far the clock of the process is ahead. */
  skewMs: number;
  /** The next round trips. All later ones are like the last of them. */
  trips: readonly Trip[] = [{ thereMs: 0, backMs: 0 }];
  answers = 0;
  readonly clock: DatabaseClock;

  constructor(skewMs: number) {
    this.skewMs = skewMs;
    this.clock = createDatabaseClock({ processClock: { now: () => new Date(this.time + this.skewMs) } });
  }

  /** How far the corrected clock is ahead. */
  get errorMs(): number {
    return this.clock.now().getTime() - this.time;
  }

  async readServerTime(): Promise<Date> {
    const [{ thereMs, backMs } = { thereMs: 0, backMs: 0 }, ...later] = this.trips;
    if (later.length > 0) this.trips = later;
    this.time += thereMs;
    const serverTime = new Date(this.time);
    this.time += backMs;
    this.answers += 1;
    return serverTime;
  }
}

it.each([30_000, -30_000, 86_400_000, 1, 0])('is correct while the process clock is %d ms ahead', async (skewMs) => {
  const machines = new Machines(skewMs);
  expect(machines.errorMs).toBe(skewMs);
  await machines.clock.synchronize(machines);
  expect(machines.errorMs).toBe(0);
  machines.time += 3_600_000;
  expect(machines.errorMs).toBe(0);
});

it('corrects a process clock that drifts or is set, each time that it is synchronized', async () => {
  const machines = new Machines(30_000);
  for (const skewMs of [30_200, -5000, 0, 7]) {
    machines.skewMs = skewMs;
    await machines.clock.synchronize(machines);
    expect(machines.errorMs).toBe(0);
  }
});

it('assumes that an answer is from the middle of its trip, and uses the quickest of several', async () => {
  const machines = new Machines(30_000);
  const slow = { thereMs: 400, backMs: 0 };
  machines.trips = [slow, slow, { thereMs: 4, backMs: 10 }, slow];
  await machines.clock.synchronize(machines);
  expect(machines.answers).toBeGreaterThanOrEqual(3);
  expect(machines.errorMs).toBe(-3);
});

it('ignores answers that take longer than a second, unless it has no measurement yet', async () => {
  const machines = new Machines(30_000);
  machines.trips = [{ thereMs: 1001, backMs: 0 }];
  await machines.clock.synchronize(machines);
  expect(Math.abs(machines.errorMs)).toBeLessThanOrEqual(501);

  machines.trips = [{ thereMs: 1000, backMs: 0 }];
  await machines.clock.synchronize(machines);
  expect(machines.errorMs).toBe(500);

  machines.trips = [{ thereMs: 0, backMs: 1001 }];
  await machines.clock.synchronize(machines);
  expect(machines.errorMs).toBe(500);

  machines.trips = [{ thereMs: 0, backMs: 0 }];
  await machines.clock.synchronize(machines);
  expect(machines.errorMs).toBe(0);
});

it('does not count a trip as quick because the process clock was set back during it', async () => {
  const machines = new Machines(30_000);
  const readServerTime = async (): Promise<Date> => {
    if (machines.answers === 0) machines.skewMs -= 20_000;
    return machines.readServerTime();
  };
  await machines.clock.synchronize({ readServerTime });
  expect(machines.errorMs).toBe(0);
});

it('throws the errors of the stores, and keeps its correction', async () => {
  const machines = new Machines(30_000);
  const away = storeUnavailable(new Error('connect ECONNREFUSED'));
  const failing = { readServerTime: async () => Promise.reject(away) };
  await expect(machines.clock.synchronize(failing)).rejects.toBe(away);
  expect(machines.errorMs).toBe(30_000);
  await machines.clock.synchronize(machines);
  await expect(machines.clock.synchronize(failing)).rejects.toBe(away);
  expect(machines.errorMs).toBe(0);
});

it('is the process clock if the database has no server', async () => {
  const machines = new Machines(30_000);
  await machines.clock.synchronize({ readServerTime: async () => null });
  expect(machines.errorMs).toBe(30_000);
});

it('corrects the clock of this machine by default', async () => {
  vi.useFakeTimers({ now: start });
  const clock = createDatabaseClock();
  expect(clock.now().getTime()).toBe(start);
  await clock.synchronize({ readServerTime: async () => new Date(start - 3_600_000) });
  expect(clock.now().getTime()).toBe(start - 3_600_000);
  vi.useRealTimers();
});
