import { compareCodePoints, type LiveStream, type LiveStreamStore, type LiveSubscription } from '@x/store';
import type { ChangeLog } from './changes/change-log.ts';
import { toPosition } from './changes/change-log.ts';
import type { StepExecutor } from './database/executor.ts';
import { Table } from './database/table.ts';
import { compareText, copyDate, copyJson } from './database/values.ts';

interface StoredStream extends LiveStream {
  readonly openUntil: Date;
  readonly subscriptions: readonly LiveSubscription[];
}

/** Streams, by user and by the end of their time. */
export type LiveStreamTable = Table<StoredStream, never, 'byUser' | 'byEnd'>;

/** Creates an empty table of streams. */
export function createLiveStreamTable(): LiveStreamTable {
  return new Table<StoredStream, never, 'byUser' | 'byEnd'>({
    keyOf: ({ id }) => id,
    unique: {},
    ordered: {
      byUser: { groupOf: ({ userId }) => userId, compare: (a, b) => compareText(a.id, b.id) },
      byEnd: { compare: (a, b) => a.openUntil.getTime() - b.openUntil.getTime() || compareText(a.id, b.id) },
    },
  });
}

interface StreamTables {
  readonly liveStreams: LiveStreamTable;
  readonly changes: ChangeLog;
}

/** Creates the store of live streams. */
export function createLiveStreamStore(executor: StepExecutor<StreamTables>): LiveStreamStore {
  return {
    open: async ({ id, userId }, { until, atMost }) => {
      const openUntil = copyDate(until);
      return executor.write(({ liveStreams }, now) => {
        const known = liveStreams.get(id);
        if (known && known.userId !== userId) return false;
        const others = [...liveStreams.select('byUser', userId)].filter((each) => each.id !== id);
        if (others.filter((each) => each.openUntil > now).length >= atMost) return false;
        liveStreams.put({ id, userId, openUntil, subscriptions: known?.subscriptions ?? [] });
        return true;
      });
    },
    renew: async (ids, until) => {
      const openUntil = copyDate(until);
      return executor.write(({ liveStreams }) => {
        for (const id of ids) change(liveStreams, id, { openUntil });
      });
    },
    close: async (id) => executor.write(({ liveStreams }, now) => change(liveStreams, id, { openUntil: now })),
    exists: async (stream) => executor.read(({ liveStreams }) => findOwn(liveStreams, stream) !== null),
    subscribe: async (stream, subscription, { atMost }) => {
      const copy = { id: subscription.id, query: copyJson(subscription.query) };
      return executor.write(({ liveStreams, changes }) => {
        const own = findOwn(liveStreams, stream);
        if (!own) return 'no_stream';
        const others = own.subscriptions.filter(({ id }) => id !== copy.id);
        if (others.length >= atMost) return 'too_many';
        const subscriptions = [...others, copy].toSorted((a, b) => compareCodePoints(a.id, b.id));
        liveStreams.put({ ...own, subscriptions });
        tell(changes, own.id, copy.id, true);
        return 'subscribed';
      });
    },
    unsubscribe: async (stream, id) =>
      executor.write(({ liveStreams, changes }) => {
        const own = findOwn(liveStreams, stream);
        const subscriptions = own?.subscriptions.filter((each) => each.id !== id) ?? [];
        if (!own || subscriptions.length === own.subscriptions.length) return false;
        liveStreams.put({ ...own, subscriptions });
        tell(changes, own.id, id, false);
        return true;
      }),
    listSubscriptions: async (streamId) =>
      executor.read(({ liveStreams }) => (liveStreams.get(streamId)?.subscriptions ?? []).map((each) => ({ ...each }))),
    prune: async ({ before, limit }) => {
      const moment = before.getTime();
      return executor.write(({ liveStreams }) =>
        liveStreams.prune('byEnd', limit, ({ openUntil }) => openUntil.getTime() < moment),
      );
    },
  };
}

function findOwn(streams: LiveStreamTable, { id, userId }: LiveStream): StoredStream | null {
  const found = streams.get(id);
  return found?.userId === userId ? found : null;
}

function change(streams: LiveStreamTable, id: string, values: Pick<StoredStream, 'openUntil'>): void {
  const found = streams.get(id);
  if (found) streams.put({ ...found, ...values });
}

function tell(changes: ChangeLog, entity: string, id: string, isAdded: boolean): void {
  const after = isAdded ? { from: toPosition(changes.last) } : null;
  changes.append({ kind: 'subscription', entity, id, tenantId: null, before: null, after });
}
