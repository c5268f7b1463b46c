import type { EventRecord, Stores } from '@x/store';
import { expect } from 'vitest';
import type { ManualClock } from './clock.ts';
import type { SampleRecords } from './sample-records.ts';
import type { StoreTest } from './store-test.ts';
import { forgedCursors, type List, visitPages } from './visit-pages.ts';

/** Describes how every event store pages its lists. */
export function describeEventPages(it: StoreTest): void {
  it('are sorted newest first, then by id', async ({ stores, records, clock }) => {
    const events = await appendTies(stores, records, clock);
    const expected = events.toSorted(compareNewest);
    for (const list of listsOf(stores, events)) {
      expect(await list({ limit: 100, after: null })).toEqual({ items: expected, nextCursor: null });
    }
  });

  it('visit every event once and in order, for any page size and equal times', async ({ stores, records, clock }) => {
    const events = await appendTies(stores, records, clock);
    const expected = events.toSorted(compareNewest);
    for (const list of listsOf(stores, events)) {
      for (const limit of [1, 2, 3, 5, 11, 12, 13]) expect(await visitPages(list, limit)).toEqual(expected);
    }
  });

  it('neither repeat nor skip older events when new ones are appended meanwhile', async ({
    stores,
    records,
    clock,
  }) => {
    const events = await appendTies(stores, records, clock);
    const owner = { userId: events[0]?.userId ?? null, tenantId: 'paged' };
    clock.advance(1000);
    for (const list of listsOf(stores, events)) {
      const expected = (await list({ limit: 100, after: null })).items;
      const visited = await visitPages(list, 2, async () => {
        clock.advance(1);
        await stores.events.append(records.event(owner));
      });
      expect(visited).toEqual(expected);
    }
  });

  it('continue from a cursor whose event has been pruned', async ({ stores, records, clock }) => {
    const userId = records.userId();
    for (let count = 0; count < 4; count += 1) {
      await stores.events.append(records.event({ userId }));
      clock.advance(1);
    }
    const first = await stores.events.listByUser(userId, { limit: 2, after: null });
    expect(await stores.events.prune({ before: clock.now(), limit: 100 })).toBe(4);
    const rest = await stores.events.listByUser(userId, { limit: 2, after: first.nextCursor });
    expect(rest).toEqual({ items: [], nextCursor: null });
  });

  it('show nothing of a list through the cursor of another', async ({ stores, records, clock }) => {
    const [userId, otherId] = [records.userId(), records.userId()];
    for (const owner of [userId, otherId, userId, otherId]) {
      await stores.events.append(records.event({ userId: owner }));
      clock.advance(1);
    }
    const { nextCursor } = await stores.events.listByUser(otherId, { limit: 1, after: null });
    const { items } = await stores.events.listByUser(userId, { limit: 10, after: nextCursor });
    expect(items.map((event) => event.userId)).toEqual([userId, userId]);
  });

  it.for(forgedCursors)('refuse the forged cursor %j', async (after, { stores, records }) => {
    const page = { limit: 10, after };
    const refusal = { code: 'INVALID_QUERY' };
    await expect(stores.events.listByUser(records.userId(), page)).rejects.toMatchObject(refusal);
    await expect(stores.events.listByTenant('tenant-1', page)).rejects.toMatchObject(refusal);
  });
}

/** The two lists that hold the events of {@link appendTies}. */
function listsOf(stores: Stores, events: readonly EventRecord[]): readonly List<EventRecord>[] {
  const userId = events[0]?.userId;
  if (userId == null) throw new TypeError('The events have no user.');
  return [(page) => stores.events.listByUser(userId, page), (page) => stores.events.listByTenant('paged', page)];
}

/** Appends 12 events on 4 moments, neither in the order of their moments nor of their ids. */
async function appendTies(stores: Stores, records: SampleRecords, clock: ManualClock): Promise<readonly EventRecord[]> {
  const userId = records.userId();
  const appended: EventRecord[] = [];
  const events = Array.from({ length: 12 }, () => records.event({ userId, tenantId: 'paged' }));
  for (const [index, event] of events.toReversed().entries()) {
    const shift = [2, -1, 2, -3][index % 4] ?? 0;
    clock.advance(shift);
    appended.push(await stores.events.append(event));
  }
  return appended;
}

function compareNewest(a: EventRecord, b: EventRecord): number {
  return b.at.getTime() - a.at.getTime() || (a.id < b.id ? -1 : 1);
}
