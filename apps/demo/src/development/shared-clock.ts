import type { DatabaseClock } from '@x/server';
import type { Stores } from '@x/store';

/** A clock that runs ahead of the database's by an offset which every process on the database shares. */
export interface SharedClock extends DatabaseClock {
  /** Starts to follow the offset in the database; what other processes add is seen within a second. */
  follow(stores: Pick<Stores, 'counters'>): Promise<void>;
  /** Moves the clock of all processes forward and returns the new now. */
  advance(milliseconds: number): Promise<Date>;
  /** Stops following. */
  stop(): void;
}

/** Creates a clock that says what the database's does until it is advanced. */
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
      // A database that is away for a moment leaves the offset as it was.
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
