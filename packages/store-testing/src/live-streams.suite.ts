import { describe, expect } from 'vitest';
import { concurrently, times } from './concurrently.ts';
import { FollowedFeed } from './followed-feed.ts';
import type { StoreTest } from './store-test.ts';

const ada = { id: 'stream-1', userId: 'ada' };
const minute = 60_000;
const query = { entity: 'tasks', where: { title: { contains: 'Übung "1"' } } };

/** Describes the streams that every engine remembers. */
export function describeLiveStreams(it: StoreTest): void {
  describe('live streams', () => {
    it('are open until their moment, to so many of a user', async ({ stores, clock }) => {
      const { liveStreams } = stores;
      const terms = { until: new Date(clock.now().getTime() + minute), atMost: 2 };
      expect(await liveStreams.open(ada, terms)).toBe(true);
      expect(await liveStreams.open({ ...ada, id: 'stream-2' }, terms)).toBe(true);
      expect(await liveStreams.open({ ...ada, id: 'stream-3' }, terms)).toBe(false);
      expect(await liveStreams.open(ada, terms)).toBe(true);
      expect(await liveStreams.open({ id: 'stream-4', userId: 'grace' }, terms)).toBe(true);
      await liveStreams.close('stream-2');
      expect(await liveStreams.open({ ...ada, id: 'stream-3' }, terms)).toBe(true);
      clock.advance(minute);
      const later = { ...terms, until: new Date(clock.now().getTime() + minute) };
      expect(await liveStreams.open({ ...ada, id: 'stream-5' }, later)).toBe(true);
      await liveStreams.renew(['stream-3', 'unknown'], later.until);
      expect(await liveStreams.open({ ...ada, id: 'stream-6' }, later)).toBe(false);
    });

    it('belong to one user', async ({ stores, clock }) => {
      const terms = { until: new Date(clock.now().getTime() + minute), atMost: 2 };
      await stores.liveStreams.open(ada, terms);
      const mallory = { ...ada, userId: 'mallory' };
      expect(await stores.liveStreams.open(mallory, terms)).toBe(false);
      expect(await stores.liveStreams.exists(ada)).toBe(true);
      expect(await stores.liveStreams.exists(mallory)).toBe(false);
      expect(await stores.liveStreams.subscribe(mallory, { id: 's', query }, { atMost: 1 })).toBe('no_stream');
      await stores.liveStreams.subscribe(ada, { id: 's', query }, { atMost: 1 });
      expect(await stores.liveStreams.unsubscribe(mallory, 's')).toBe(false);
      expect(await stores.liveStreams.listSubscriptions(ada.id)).toEqual([{ id: 's', query }]);
    });

    it('have so many subscriptions, which stay when they close', async ({ stores, clock, processes }) => {
      const [other] = processes;
      const terms = { until: new Date(clock.now().getTime() + minute), atMost: 2 };
      await stores.liveStreams.open(ada, terms);
      expect(await other.liveStreams.subscribe(ada, { id: 'b', query }, { atMost: 2 })).toBe('subscribed');
      expect(await other.liveStreams.subscribe(ada, { id: 'a', query: {} }, { atMost: 2 })).toBe('subscribed');
      expect(await other.liveStreams.subscribe(ada, { id: 'c', query }, { atMost: 2 })).toBe('too_many');
      expect(await other.liveStreams.subscribe(ada, { id: 'a', query }, { atMost: 2 })).toBe('subscribed');
      await stores.liveStreams.close(ada.id);
      const listed = [
        { id: 'a', query },
        { id: 'b', query },
      ];
      expect(await stores.liveStreams.listSubscriptions(ada.id)).toEqual(listed);
      expect(await stores.liveStreams.unsubscribe(ada, 'a')).toBe(true);
      expect(await stores.liveStreams.unsubscribe(ada, 'a')).toBe(false);
      expect(await other.liveStreams.listSubscriptions(ada.id)).toEqual(listed.slice(1));
    });

    it('are in the feed when their subscriptions change', async ({ stores, clock }) => {
      const feed = await FollowedFeed.start(stores);
      await stores.liveStreams.open(ada, { until: new Date(clock.now().getTime() + minute), atMost: 2 });
      await stores.liveStreams.subscribe(ada, { id: 's', query }, { atMost: 2 });
      await stores.liveStreams.unsubscribe(ada, 's');
      const [added, removed] = await feed.next(2);
      expect(added).toMatchObject({ kind: 'subscription', entity: ada.id, id: 's', before: null });
      expect(removed).toMatchObject({ kind: 'subscription', entity: ada.id, id: 's', after: null });
      const from = added?.after?.['from'];
      expect(
        (await stores.changes.read(typeof from === 'string' ? from : '', 10))?.changes.some(({ id }) => id === 's'),
      ).toBe(true);
    });

    it('are pruned with their subscriptions once they have been closed for long enough', async ({ stores, clock }) => {
      const terms = { until: new Date(clock.now().getTime() + minute), atMost: 9 };
      for (const id of ['a', 'b', 'c']) await stores.liveStreams.open({ ...ada, id }, terms);
      await stores.liveStreams.subscribe({ ...ada, id: 'a' }, { id: 's', query }, { atMost: 2 });
      clock.advance(minute);
      const at = clock.now();
      expect(await stores.liveStreams.prune({ before: at, limit: 9 })).toBe(0);
      const before = new Date(at.getTime() + 1);
      expect(await stores.liveStreams.prune({ before, limit: 2 })).toBe(2);
      expect(await stores.liveStreams.prune({ before, limit: 2 })).toBe(1);
      expect(await stores.liveStreams.exists({ ...ada, id: 'a' })).toBe(false);
      expect(await stores.liveStreams.listSubscriptions('a')).toEqual([]);
    });
  });
}

/** Describes what is guaranteed while several processes open streams at once. */
export function describeLiveStreamRaces(it: StoreTest): void {
  it('never open more of a user than are allowed', async ({ clock, processes }) => {
    const terms = { until: new Date(clock.now().getTime() + minute), atMost: 6 };
    const opened = await concurrently(processes, times(20), (each, index) =>
      each.liveStreams.open({ id: `stream-${index}`, userId: 'ada' }, terms),
    );
    expect(opened.filter(Boolean)).toHaveLength(6);
  });
}
