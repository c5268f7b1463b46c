import type { Awaitable } from '@x/errors';
import type { Stores, UnfinishedStep, UserId } from '@x/store';
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { EventDependencies } from '../events/events.ts';
import type { BatchContext, TransactionContext } from './hooks.ts';

/** The dependencies of batches. */
interface BatchDependencies {
  readonly stores: Stores;
  readonly events: Pick<EventDependencies, 'logger'>;
}

/** The unfinished work of an account. */
export interface Unfinished {
  readonly userId: UserId;
  readonly step: UnfinishedStep;
  /** Says before each batch whether there is time for it; the rest is left for later. */
  readonly mayGoOn: () => boolean;
}

/**
 * Carries out the unfinished work of an account, in batches that commit one by one. The last of them takes the note
 * from the account. Several processes may do so at once: their batches run one after another, and none runs after the
 * last.
 */
export async function finishInBatches(
  deps: BatchDependencies,
  unfinished: Unfinished,
  work: (context: BatchContext) => Promise<void>,
): Promise<void> {
  try {
    await work({ batch: (step) => runBatch(deps, unfinished, step) });
  } catch (error) {
    if (!(error instanceof NoMoreBatches)) throw error;
  }
}

async function runBatch<T>(
  { stores, events }: BatchDependencies,
  { userId, step, mayGoOn }: Unfinished,
  work: (context: TransactionContext) => Promise<T>,
): Promise<T> {
  if (!mayGoOn()) throw new NoMoreBatches();
  const { outcome, left } = await stores.transaction(
    async (inside) => {
      // A lock of its own: the batch locks users in the order of their ids.
      await inside.lock(`unfinished:${userId}`);
      const user = await inside.users.findById(userId);
      if (user?.unfinished !== step) throw new NoMoreBatches();
      const after: Work[] = [];
      const context = { stores: inside, afterCommit: (each: Work) => void after.push(each) };
      return { outcome: await work(context), left: after };
    },
    { retryable: true },
  );
  await runAfterCommit(events, left);
  // Stores in memory wait for nothing, so without yielding to the event loop no request would be served before the last
  // batch.
  await yieldToRequests();
  return outcome;
}

/** Thrown instead of running a batch if the step was finished elsewhere, or if there is no time left. */
class NoMoreBatches extends Error {
  override readonly name = 'NoMoreBatches';
}

/** A step of a hook that is left for after the commit. */
export type Work = () => Awaitable<void>;

/** Runs the steps that hooks left for after the commit, one after the other. */
export async function runAfterCommit(
  { logger }: Pick<EventDependencies, 'logger'>,
  works: readonly Work[],
): Promise<void> {
  for (const work of works) {
    try {
      await work();
    } catch (err) {
      logger.error({ err }, 'what a hook left for after the commit failed');
    }
  }
}
