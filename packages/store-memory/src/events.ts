import type { EventRecord, EventStore, Page, PageRequest } from '@x/store';
import { parseCursor, toPage } from '@x/store/engine';
import { compareNewest } from './compare-newest.ts';
import { everyEvent, fromEventRow, toEventRow, type EventTable } from './event-table.ts';
import type { Scope } from './scope.ts';
import { take } from './take.ts';

/** Creates the event store of a scope. */
export function createEventStore(scope: Scope): EventStore {
  return {
    append: async (event) => {
      // Copied before the step may have to wait for its turn.
      const row = toEventRow(event);
      return scope.write(({ events }, now) => appendEvent(events, { ...row, at: now }));
    },
    listByUser: async (userId, page) => scope.read(({ events }) => list(events, 'byUser', userId, page)),
    listByTenant: async (tenantId, page) => scope.read(({ events }) => list(events, 'byTenant', tenantId, page)),
    prune: async ({ before, limit }) => {
      const moment = before.getTime();
      return scope.write(({ events }) => prune(events, moment, limit));
    },
  };
}

function appendEvent(events: EventTable, row: EventRecord): EventRecord {
  events.insert(row);
  return fromEventRow(row);
}

function list(
  events: EventTable,
  index: 'byUser' | 'byTenant',
  group: string,
  { limit, after }: PageRequest,
): Page<EventRecord> {
  const last = after === null ? null : parseCursor(after);
  const rows = events.select(index, group, (event) => last !== null && compareNewest(event, last) <= 0);
  return toPage(take(rows, limit + 1).map(fromEventRow), limit, (event) => event);
}

function prune(events: EventTable, before: number, limit: number): number {
  const old = take(events.select('byAge', everyEvent), limit).filter((event) => event.at.getTime() < before);
  for (const event of old) events.delete(event.id);
  return old.length;
}
