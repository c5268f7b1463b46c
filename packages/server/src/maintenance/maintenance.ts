import type { Auth } from '@x/auth';
import type { Logger } from '@x/errors';
import { type Clock, type DatabaseClock, deleteInBatches, type Stores } from '@x/store';
import type { ServerOrganizations } from '../wiring/organizations.ts';
import { createSchedule } from './schedule.ts';

/** The dependencies of maintenance. */
export interface MaintenanceOptions {
  readonly auth: Auth;
  readonly organizations: Pick<ServerOrganizations, 'completeDeletions'> | undefined;
  readonly stores: Stores;
  readonly logger: Logger;
}

/** The recurring tasks of a server. */
export interface Maintenance {
  /**
   * Synchronizes the clock of the stores, if possible, and starts the recurring tasks, until `stop` is called.
   * Idempotent.
   */
  start(): Promise<void>;
  /** Ends the recurring tasks, and waits for a run in progress. */
  stop(): Promise<void>;
}

/** Creates the maintenance of a server: it deletes expired rows, and keeps the clock synchronized. */
export function createMaintenance({ auth, organizations, stores, logger }: MaintenanceOptions): Maintenance {
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
      run: async (signal) => organizations?.completeDeletions?.({ stores, signal }),
      pauseMs: tenMinutes,
      onFailure: (err) => logger.warn({ err }, 'completing the deletion of organizations failed'),
    }),
    createSchedule({
      run: (signal) => pruneWallets(stores, { signal }),
      pauseMs: tenMinutes,
      onFailure: (err) => logger.warn({ err }, 'pruning wallets failed'),
    }),
    createSchedule({
      run: (signal) => pruneChanges(stores, { signal }),
      pauseMs: oneMinute,
      onFailure: (err) => logger.warn({ err }, 'pruning changes failed'),
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

const oneMinute = 60_000;
const tenMinutes = 600_000;

/** Deletes idempotency keys and used receipts older than a week, batch by batch; returns how many. */
export async function pruneWallets(
  { wallets, clock }: Pick<Stores, 'wallets' | 'clock'>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<number> {
  const before = new Date(clock.now().getTime() - retentionMs);
  return deleteInBatches((limit) => wallets.prune({ before, limit }), signal);
}

/** Deletes old changes, and streams that no client resumes, batch by batch; returns how many changes. */
async function pruneChanges(
  { changes, liveStreams, clock }: Pick<Stores, 'changes' | 'liveStreams' | 'clock'>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<number> {
  const before = new Date(clock.now().getTime() - changeRetentionMs);
  await deleteInBatches((limit) => liveStreams.prune({ before, limit }), signal);
  return deleteInBatches((limit) => changes.prune({ olderThanMs: changeRetentionMs, limit }), signal);
}

/** How long the feed keeps changes for a reader that is away, in milliseconds. */
const changeRetentionMs = 600_000;

/** How long idempotency keys and used receipts are kept, in milliseconds. */
const retentionMs = 7 * 86_400_000;

/** Says whether a clock can be synchronized. */
function isDatabaseClock(clock: Clock): clock is DatabaseClock {
  return 'synchronize' in clock;
}
