import { expect } from 'vitest';
import type { EventRecord } from '../events.ts';
import type { Stores } from '../stores.ts';
import { forgedCursors, type List, visitPages } from './visit-pages.ts';
import type { ManualClock } from './manual-clock.ts';
import type { SampleRecords } from './sample-records.ts';
import type { StoreTest } from './store-test.ts';

/** Describes how every event store pages its lists. */
export function describeEventPages(it: StoreTest): void {
  it('a list is ordered newest first, then by id', async ({ stores, records, clock }) => {
    const events = await appendTies(stores, records, clock);
    const expected = events.toSorted(compareNewest);
    for (const list of listsOf(stores, events)) {
      expect(await list({ limit: 100, after: null })).toEqual({ items: expected, nextCursor: null });
    }
  });

  it('pages of any size visit every event once, in order, ties and all', async ({ stores, records, clock }) => {
    const events = await appendTies(stores, records, clock);
    const expected = events.toSorted(compareNewest);
    for (const list of listsOf(stores, events)) {
      for (const limit of [1, 2, 3, 5, 11, 12, 13]) expect(await visitPages(list, limit)).toEqual(expected);
    }
  });

  it('events appended while a list is paged neither repeat nor hide older ones', async ({
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

  it('a cursor outlives the event it was made at', async ({ stores, records, clock }) => {
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

  it("the cursor of one list shows nothing of it in another's", async ({ stores, records, clock }) => {
    const [userId, otherId] = [records.userId(), records.userId()];
    for (const owner of [userId, otherId, userId, otherId]) {
      await stores.events.append(records.event({ userId: owner }));
      clock.advance(1);
    }
    const { nextCursor } = await stores.events.listByUser(otherId, { limit: 1, after: null });
    const { items } = await stores.events.listByUser(userId, { limit: 10, after: nextCursor });
    expect(items.map((event) => event.userId)).toEqual([userId, userId]);
  });

  it.for(forgedCursors)('the forged cursor %j is refused', async (after, { stores, records }) => {
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
