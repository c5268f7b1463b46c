import type { Auth } from '@x/auth';
import type { Logger } from '@x/errors';
import type { Stores } from '@x/store';
import { isDatabaseClock } from './database-clock.ts';
import { pruneWallets } from './prune-wallets.ts';
import { createSchedule } from './schedule.ts';

/** What a server does besides handling requests. */
export interface Maintenance {
  /** Synchronizes the clock of the stores, if possible, and starts the recurring upkeep, until it is stopped. Idempotent. */
  start(): Promise<void>;
  /** Ends the upkeep, and waits for a run in progress. */
  stop(): Promise<void>;
}

/** Creates the upkeep of a server: deletes expired rows, and keeps the clock synchronized. */
export function createMaintenance({ auth, stores, logger }: MaintenanceOptions): Maintenance {
  const { clock } = stores;
  const synchronize = async (): Promise<void> => {
    if (isDatabaseClock(clock)) await clock.synchronize(stores);
  };
  const schedules = [
    createSchedule({
      run: (signal) => auth.prune({ signal }),
      pauseMs: tenMinutes,
      onFailure: (err) => logger.warn({ err }, 'pruning failed'),
    }),
    createSchedule({
      run: (signal) => pruneWallets(stores, { signal }),
      pauseMs: tenMinutes,
      onFailure: (err) => logger.warn({ err }, 'pruning wallets failed'),
    }),
    createSchedule({
      run: synchronize,
      pauseMs: oneMinute,
      onFailure: (err) => logger.warn({ err }, 'synchronizing the clock failed'),
    }),
  ];
  return {
    async start() {
      await synchronize();
      for (const schedule of schedules) schedule.start();
    },
    async stop() {
      await Promise.all(schedules.map((schedule) => schedule.stop()));
    },
  };
}

interface MaintenanceOptions {
  readonly auth: Auth;
  readonly stores: Stores;
  readonly logger: Logger;
}

const oneMinute = 60_000;
const tenMinutes = 600_000;
