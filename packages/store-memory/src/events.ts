import type { Cause, EventId, EventRecord, EventStore, NewEvent, Page, PageRequest } from '@x/store';
import { parseCursor, type Recorded, toEvents, toPage } from '@x/store/engine';
import type { StepExecutor } from './database/executor.ts';
import { Table, take } from './database/table.ts';
import { compareNewest, copyJson, copyRow } from './database/values.ts';

/** Creates the event store. */
export function createEventStore(executor: StepExecutor<{ readonly events: EventTable }>): EventStore {
  return {
    append: async (event) => {
      // Copied first: the caller may change it while the step waits.
      const row = toEventRow(event);
      return executor.write(({ events }, now) => appendEvent(events, { ...row, at: now }));
    },
    appendOrCount: async (event) => {
      const row = toEventRow(event);
      return executor.write(
        ({ events }, now) => countEvent(events, event.id) ?? appendEvent(events, { ...row, at: now }),
      );
    },
    listByUser: async (userId, page) => executor.read(({ events }) => list(events, 'byUser', userId, page)),
    listByTenant: async (tenantId, page) => executor.read(({ events }) => list(events, 'byTenant', tenantId, page)),
    prune: async ({ before, type, limit }) => {
      const moment = before.getTime();
      const isOld = ({ at }: EventRecord): boolean => at.getTime() < moment;
      return executor.write(({ events }) =>
        type === undefined ? events.prune('byAge', limit, isOld) : events.prune('byType', limit, isOld, type),
      );
    },
  };
}

/** Runs a step, and appends the events of what it changed. */
export async function record<Tables, Outcome>(
  executor: StepExecutor<Tables & { readonly events: EventTable }>,
  cause: Cause = {},
  step: (tables: Tables, now: Date) => Recorded<Outcome>,
): Promise<Outcome> {
  // Copied: the caller may change it while the step waits.
  const copied = { ...cause, ...(cause.detail && { detail: copyJson(cause.detail) }) };
  return executor.write((tables, now) => {
    const { outcome, recorded } = step(tables, now);
    const rows = toEvents(recorded, copied).map((event) => ({ ...toEventRow(event), at: now }));
    for (const row of rows) tables.events.insert(row);
    if (rows.length > 0) copied.onRecorded?.(rows.map(copyRow));
    return outcome;
  });
}

function appendEvent(events: EventTable, row: EventRecord): EventRecord {
  events.insert(row);
  return copyRow(row);
}

function countEvent(events: EventTable, id: EventId): EventRecord | null {
  const found = events.get(id);
  if (!found) return null;
  const counted = { ...found, occurrences: found.occurrences + 1 };
  events.put(counted);
  return copyRow(counted);
}

function list(
  events: EventTable,
  index: 'byUser' | 'byTenant',
  group: string,
  { limit, after }: PageRequest,
): Page<EventRecord> {
  const last = after === null ? null : parseCursor(after);
  const rows = events.select(index, group, (event) => last !== null && compareNewest(event, last) <= 0);
  return toPage(take(rows, limit + 1).map(copyRow), limit, (event) => event);
}

/** Events, ordered newest first by user and by tenant, and oldest first by type and overall. */
export type EventTable = Table<EventRecord, never, 'byUser' | 'byTenant' | 'byAge' | 'byType'>;

/** Creates an empty table of events. */
export function createEventTable(): EventTable {
  return new Table<EventRecord, never, 'byUser' | 'byTenant' | 'byAge' | 'byType'>({
    keyOf: (event) => event.id,
    unique: {},
    ordered: {
      byUser: { groupOf: (event) => event.userId, compare: compareNewest },
      byTenant: { groupOf: (event) => event.tenantId, compare: compareNewest },
      byAge: { compare: compareOldest },
      byType: { groupOf: (event) => event.type, compare: compareOldest },
    },
  });
}

const compareOldest = (a: EventRecord, b: EventRecord): number => compareNewest(b, a);

/** Builds the row of a new event, except its time. */
function toEventRow(event: NewEvent): Omit<EventRecord, 'at'> {
  return {
    id: event.id,
    type: event.type,
    occurrences: 1,
    userId: event.userId,
    tenantId: event.tenantId,
    sessionId: event.sessionId,
    ipAddress: event.ipAddress,
    userAgent: event.userAgent,
    detail: copyJson(event.detail),
  };
}
