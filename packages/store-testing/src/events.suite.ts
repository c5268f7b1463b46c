import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { awkwardTexts, jsonObject } from './awkward-values.ts';
import { concurrently, times } from './concurrently.ts';
import { describeEventPages } from './event-pages.suite.ts';
import type { StoreTest } from './store-test.ts';

const firstTen = { limit: 10, after: null };

/** Describes what every event store does. */
export function describeEvents(it: StoreTest): void {
  describe('events', () => {
    describeAppending(it);
    describeCounting(it);
    describeContents(it);
    describeEventPages(it);
    describePruning(it);
  });
}

function describeAppending(it: StoreTest): void {
  it('get the time of the clock of the stores, and are listed as they were returned', async ({
    stores,
    records,
    clock,
  }) => {
    clock.advance(1);
    const userId = records.userId();
    const event = records.event({ userId, tenantId: 'tenant-1', sessionId: records.sessionId() });
    const appended = await stores.events.append(event);
    expect(appended).toEqual({ ...event, at: clock.now(), occurrences: 1 });
    const page = { items: [appended], nextCursor: null };
    expect(await stores.events.listByUser(userId, firstTen)).toEqual(page);
    expect(await stores.events.listByTenant('tenant-1', firstTen)).toEqual(page);
  });

  it('are listed only for their own user and tenant', async ({ stores, records }) => {
    const [userId, otherId] = [records.userId(), records.userId()];
    const own = await stores.events.append(records.event({ userId, tenantId: 'own' }));
    await stores.events.append(records.event({ userId: otherId, tenantId: 'other' }));
    await stores.events.append(records.event());
    expect(await stores.events.listByUser(userId, firstTen)).toEqual({ items: [own], nextCursor: null });
    expect(await stores.events.listByTenant('own', firstTen)).toEqual({ items: [own], nextCursor: null });
  });

  it('are an empty page for a user or a tenant without any', async ({ stores, records }) => {
    await stores.events.append(records.event());
    const empty = { items: [], nextCursor: null };
    expect(await stores.events.listByUser(records.userId(), firstTen)).toEqual(empty);
    expect(await stores.events.listByTenant('', firstTen)).toEqual(empty);
    expect(await stores.events.listByTenant('null', firstTen)).toEqual(empty);
  });
}

function describeCounting(it: StoreTest): void {
  it('are counted on the one with their id, which stays as it was appended', async ({ stores, records, clock }) => {
    const userId = records.userId();
    const event = records.event({ userId, ipAddress: '192.0.2.1', detail: { from: 'first' } });
    const first = await stores.events.appendOrCount(event);
    expect(first).toEqual({ ...event, at: clock.now(), occurrences: 1 });
    clock.advance(1000);
    for (const occurrences of [2, 3]) {
      const again = { ...event, userId: records.userId(), ipAddress: '192.0.2.2', detail: { from: 'other' } };
      expect(await stores.events.appendOrCount(again)).toEqual({ ...first, occurrences });
    }
    expect(await stores.events.appendOrCount(records.event({ userId }))).toMatchObject({ occurrences: 1 });
    const { items } = await stores.events.listByUser(userId, firstTen);
    expect(items.map(({ occurrences }) => occurrences)).toEqual([1, 3]);
    expect(items[1]).toEqual({ ...first, occurrences: 3 });
  });

  it('are not counted if their transaction is rolled back', async ({ stores, records }) => {
    const event = records.event({ userId: records.userId() });
    await stores.events.append(event);
    const undone = stores.transaction(async (inside) => {
      expect(await inside.events.appendOrCount(event)).toMatchObject({ occurrences: 2 });
      throw new RangeError('no');
    });
    await expect(undone).rejects.toThrow(RangeError);
    expect(await stores.events.appendOrCount(event)).toMatchObject({ occurrences: 2 });
  });
}

function describeContents(it: StoreTest): void {
  it('keep every text unchanged', async ({ stores, records }) => {
    for (const text of awkwardTexts) {
      const texts = { type: text, tenantId: text, ipAddress: text, userAgent: text, detail: { [`${text}.`]: text } };
      const appended = await stores.events.append(records.event(texts));
      expect(appended).toMatchObject(texts);
      expect(await stores.events.listByTenant(text, firstTen)).toEqual({ items: [appended], nextCursor: null });
    }
  });

  it('keep any JSON object as their detail', async ({ stores, records, rounds }) => {
    const keepsDetail = fc.asyncProperty(jsonObject, async (detail) => {
      const userId = records.userId();
      await stores.events.append(records.event({ userId, detail }));
      const { items } = await stores.events.listByUser(userId, firstTen);
      expect(items.map((event) => event.detail)).toEqual([detail]);
    });
    await fc.assert(keepsDetail, { numRuns: 8 * rounds });
  });

  it('are not affected when the caller changes a returned one', async ({ stores, records, clock }) => {
    const userId = records.userId();
    const tags = ['first'];
    const appended = await stores.events.append(records.event({ userId, detail: { tags } }));
    tags.push('second');
    appended.at.setTime(0);
    const { items } = await stores.events.listByUser(userId, firstTen);
    expect(items).toEqual([{ ...appended, at: clock.now(), detail: { tags: ['first'] } }]);
  });
}

function describePruning(it: StoreTest): void {
  it('are pruned exactly if they are older than the given moment', async ({ stores, records, clock }) => {
    const userId = records.userId();
    for (let count = 0; count < 3; count += 1) {
      await stores.events.append(records.event({ userId, tenantId: 'tenant-1' }));
      clock.advance(1);
    }
    const before = new Date(clock.now().getTime() - 1);
    expect(await stores.events.prune({ before, limit: 100 })).toBe(2);
    const left = [before];
    const byUser = await stores.events.listByUser(userId, firstTen);
    const byTenant = await stores.events.listByTenant('tenant-1', firstTen);
    expect(byUser.items.map((event) => event.at)).toEqual(left);
    expect(byTenant.items.map((event) => event.at)).toEqual(left);
    expect(await stores.events.prune({ before, limit: 100 })).toBe(0);
  });

  it('are pruned by their type, oldest first, and leave others of any age', async ({ stores, records, clock }) => {
    const userId = records.userId();
    for (const type of ['brief', 'long', 'brief', 'briefer', 'brief']) {
      await stores.events.append(records.event({ userId, type }));
      clock.advance(1);
    }
    const prune = (before: Date, limit: number): Promise<number> =>
      stores.events.prune({ before, type: 'brief', limit });
    const left = async (): Promise<readonly string[]> =>
      (await stores.events.listByUser(userId, firstTen)).items.map(({ type }) => type);
    const last = new Date(clock.now().getTime() - 1);
    expect([await prune(last, 1), await left()]).toEqual([1, ['brief', 'briefer', 'brief', 'long']]);
    expect([await prune(last, 10), await left()]).toEqual([1, ['brief', 'briefer', 'long']]);
    expect([await prune(clock.now(), 10), await left()]).toEqual([1, ['briefer', 'long']]);
    expect(await prune(clock.now(), 10)).toBe(0);
    expect(await stores.events.prune({ before: clock.now(), limit: 10 })).toBe(2);
  });

  it('are pruned oldest first, at most as many as the limit', async ({ stores, records, clock }) => {
    const userId = records.userId();
    // Appended out of order of time, so that the order of arrival can't stand in for age.
    for (const shift of [30, -20, 10, -15, 25]) {
      clock.advance(shift);
      await stores.events.append(records.event({ userId }));
    }
    clock.advance(1000);
    const remaining = [4, 2, 1, 0, 0];
    for (const [index, removed] of [1, 2, 1, 1, 0].entries()) {
      const ages = (await stores.events.listByUser(userId, firstTen)).items.map((event) => event.at.getTime());
      expect(await stores.events.prune({ before: clock.now(), limit: removed || 1 })).toBe(removed);
      const left = (await stores.events.listByUser(userId, firstTen)).items.map((event) => event.at.getTime());
      expect(left).toHaveLength(remaining[index] ?? 0);
      expect(left).toEqual(ages.slice(0, left.length));
    }
  });
}

/** Describes what is guaranteed while several processes append and prune at once. */
export function describeEventRaces(it: StoreTest): void {
  it('lists each of 100 events once', async ({ stores, records, processes }) => {
    const userId = records.userId();
    const appended = await concurrently(processes, times(100), (each) => each.events.append(records.event({ userId })));
    const { items } = await stores.events.listByUser(userId, { limit: 1000, after: null });
    expect(items.map((event) => event.id).toSorted()).toEqual(appended.map((event) => event.id).toSorted());
  });

  it('counts each of 100 events with one id once', async ({ stores, records, processes }) => {
    const event = records.event({ userId: records.userId() });
    const counted = await concurrently(processes, times(100), (each) => each.events.appendOrCount(event));
    const numbers = counted.map(({ occurrences }) => occurrences).toSorted((a, b) => a - b);
    expect(numbers).toEqual(times(100).map((index) => index + 1));
    expect(await stores.events.appendOrCount(event)).toMatchObject({ occurrences: 101 });
  });

  it('counts each of 100 old events in exactly one pruning', async ({ stores, records, processes, clock }) => {
    const userId = records.userId();
    await concurrently(processes, times(100), (each) => each.events.append(records.event({ userId })));
    clock.advance(1);
    const before = clock.now();
    const pruned = await concurrently(processes, times(8), (each) => each.events.prune({ before, limit: 20 }));
    expect(Math.max(...pruned)).toBeLessThanOrEqual(20);
    const { items } = await stores.events.listByUser(userId, { limit: 1000, after: null });
    expect(pruned.reduce((sum, count) => sum + count, 0)).toBe(100 - items.length);
  });
}
