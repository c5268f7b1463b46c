import { type Clock, systemClock } from './clock.ts';
import type { Stores } from './stores.ts';

/**
 * A clock that follows the clock of the database server, whatever the clock of this process says. So all processes on
 * one database agree on windows, expiry and periods.
 *
 * It shows the time of the process clock until it is first synchronized, and always if the database has no server. A
 * correction may step it back, usually by milliseconds. Then a later event can have an earlier time, as can happen
 * between two processes. If the process clock is set, this clock is off until it is synchronized again. A clock that
 * wraps this one must pass `synchronize` on, or the server does not recognize it.
 */
export interface DatabaseClock extends Clock {
  /**
   * Measures the offset of the process clock from the server's, and applies it from now on. If that fails, or no
   * response comes within a second, the last measurement stays in force; the first measurement is used however slow the
   * responses were. `createServer` calls this when it is initialized, and every minute after.
   *
   * @throws CodedError `SERVICE_UNAVAILABLE` if the database can't be reached
   */
  synchronize(stores: Pick<Stores, 'readServerTime'>): Promise<void>;
}

/** Options of a database clock. */
export interface DatabaseClockOptions {
  /** The clock to correct. Default: the clock of this machine. */
  readonly processClock?: Clock;
}

/**
 * Creates a clock that is corrected by the database server it is synchronized with.
 */
export function createDatabaseClock({ processClock = systemClock }: DatabaseClockOptions = {}): DatabaseClock {
  let offsetMs: number | undefined;
  return {
    now: () => new Date(processClock.now().getTime() + (offsetMs ?? 0)),
    async synchronize(stores) {
      const measured = await measureOffset(processClock, stores);
      if (measured === null) return;
      if (offsetMs === undefined || measured.roundTripMs <= maxRoundTripMs) offsetMs = measured.offsetMs;
    },
  };
}

/** A measurement can be off by half of its round trip; beyond this limit, the drift of a few minutes is smaller. */
const maxRoundTripMs = 1000;

/** The first trip may have to open a connection, and any may hit a busy moment. */
const trips = 5;

interface Measurement {
  readonly offsetMs: number;
  readonly roundTripMs: number;
}

/** Reads the server's time a few times and takes the fastest response, which has the smallest error. */
async function measureOffset(clock: Clock, stores: Pick<Stores, 'readServerTime'>): Promise<Measurement | null> {
  let best: Measurement | null = null;
  for (let trip = 0; trip < trips; trip += 1) {
    const sentAt = clock.now().getTime();
    const serverTime = await stores.readServerTime();
    if (serverTime === null) return null;
    const receivedAt = clock.now().getTime();
    // Setting the process clock back meanwhile must not make a trip look fast.
    const roundTripMs = Math.abs(receivedAt - sentAt);
    if (best !== null && best.roundTripMs <= roundTripMs) continue;
    best = { offsetMs: serverTime.getTime() - (sentAt + receivedAt) / 2, roundTripMs };
  }
  return best;
}
