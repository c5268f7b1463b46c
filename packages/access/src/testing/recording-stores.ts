import type { Stores } from '@x/store';
import type { AccessStores } from '../reads/access-reads.ts';

/** The stores of an access context, recording each call and which calls were pending when it was made. */
export interface RecordingSources
  extends
    Required<Omit<AccessStores, 'orgResolver' | 'tenantSnapshotStore'>>,
    Pick<AccessStores, 'tenantSnapshotStore'> {
  /** The calls so far, in order. */
  readonly calls: readonly string[];
  /** How many rounds of calls there were, each waiting for the one before. */
  readonly waves: () => number;
}

/** Wraps stores to count their calls. The record is not enumerable, so the stores can be spread into options. */
export function recordSources(stores: Stores): RecordingSources {
  const { roleAssignments, hierarchy, flags, subscriptions, wallets, tenantSnapshots } = stores;
  const calls: string[] = [];
  // A call belongs to the wave after the last one that it could have waited for.
  let [ended, waves] = [0, 0];
  const note = async <Outcome>(name: string, call: () => Promise<Outcome>): Promise<Outcome> => {
    calls.push(name);
    const wave = ended + 1;
    waves = Math.max(waves, wave);
    // Takes at least as long as a database, so that independent calls are made meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
    const outcome = await call();
    ended = Math.max(ended, wave);
    return outcome;
  };
  const sources = {
    roleStore: {
      readPaths: (...asked) => note('readPaths', () => roleAssignments.readPaths(...asked)),
      findKinds: (...asked) => note('findKinds', () => roleAssignments.findKinds(...asked)),
      listGranted: (...asked) => note('listGranted', () => roleAssignments.listGranted(...asked)),
      listGrantees: (...asked) => note('listGrantees', () => roleAssignments.listGrantees(...asked)),
      listAssigned: (...asked) => note('listAssigned', () => roleAssignments.listAssigned(...asked)),
    },
    closureStore: { ancestors: (...asked) => note('ancestors', () => hierarchy.ancestors(...asked)) },
    flagStore: { readMany: (...asked) => note('readMany', () => flags.readMany(...asked)) },
    subscriptionStore: { readMany: (...asked) => note('readPlans', () => subscriptions.readMany(...asked)) },
    ...(tenantSnapshots && {
      tenantSnapshotStore: { read: (asked) => note('readSnapshot', () => tenantSnapshots.read(asked)) },
    }),
    walletStore: {
      readMany: (...asked) => note('readCounters', () => wallets.readMany(...asked)),
      consume: (...asked) => note('consume', () => wallets.consume(...asked)),
      unconsume: (...asked) => note('unconsume', () => wallets.unconsume(...asked)),
      credit: (...asked) => note('credit', () => wallets.credit(...asked)),
    },
  } satisfies Omit<RecordingSources, 'calls' | 'waves'>;
  const recorded = { calls: { value: calls }, waves: { value: () => waves } };
  return Object.defineProperties(sources, recorded) as RecordingSources;
}
