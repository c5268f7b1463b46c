import type { DatabaseClock } from '@x/store';
import type { Stores } from '@x/store';

/** A clock that is ahead of the database's by an offset that all processes on the database share. */
export interface SharedClock extends DatabaseClock {
  /** Starts following the offset in the database; changes by other processes are seen within a second. */
  follow(stores: Pick<Stores, 'counters'>): Promise<void>;
  /** Moves the clock of all processes forward and returns the new time. */
  advance(milliseconds: number): Promise<Date>;
  /** Stops following. */
  stop(): void;
}

/** Creates a clock that equals the database's until it is advanced. */
export function createSharedClock(databaseClock: DatabaseClock): SharedClock {
  let offsetMs = 0;
  let counters: Stores['counters'] | undefined;
  let timer: NodeJS.Timeout | undefined;
  const now = (): Date => new Date(databaseClock.now().getTime() + offsetMs);
  const refresh = async (): Promise<void> => {
    offsetMs = Math.max(offsetMs, (await counters?.read(offsetName)) ?? 0);
  };
  return {
    now,
    synchronize: (stores) => databaseClock.synchronize(stores),
    async follow(stores) {
      counters = stores.counters;
      await refresh();
      // If the database is briefly unavailable, the offset stays as it was.
      timer = setInterval(() => void refresh().catch(() => {}), 250).unref();
    },
    async advance(milliseconds) {
      offsetMs = (await counters?.add(offsetName, milliseconds)) ?? offsetMs + milliseconds;
      return now();
    },
    stop: () => clearInterval(timer),
  };
}

const offsetName = 'development.clock_offset_ms';
