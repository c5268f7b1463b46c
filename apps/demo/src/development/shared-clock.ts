import type { Clock, Stores } from '@x/store';

/** A clock that runs ahead by an offset which every process on one database shares. */
export interface SharedClock extends Clock {
  /** Starts to follow the offset in the database; what other processes add is seen within a second. */
  follow(stores: Pick<Stores, 'counters'>): Promise<void>;
  /** Moves the clock of all processes forward and returns the new now. */
  advance(milliseconds: number): Promise<Date>;
  /** Stops following. */
  stop(): void;
}

/** Creates a clock that is right until it is advanced. */
export function createSharedClock(): SharedClock {
  let offsetMs = 0;
  let counters: Stores['counters'] | undefined;
  let timer: NodeJS.Timeout | undefined;
  const now = (): Date => new Date(Date.now() + offsetMs);
  const refresh = async (): Promise<void> => {
    offsetMs = Math.max(offsetMs, (await counters?.read(offsetName)) ?? 0);
  };
  return {
    now,
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
