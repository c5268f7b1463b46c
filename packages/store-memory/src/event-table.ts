import type { EventRecord, NewEvent } from '@x/store';
import { compareNewest } from './compare-newest.ts';
import { copyDate } from './copy-date.ts';
import { copyJson } from './copy-json.ts';
import { Table } from './table.ts';

/** Events, ordered newest first by user and by tenant, and oldest first overall. */
export type EventTable = Table<EventRecord, never, 'byUser' | 'byTenant' | 'byAge'>;

/** The single group of the index by age. */
export const everyEvent = '';

/** Creates an empty table of events. */
export function createEventTable(): EventTable {
  return new Table<EventRecord, never, 'byUser' | 'byTenant' | 'byAge'>({
    keyOf: (event) => event.id,
    unique: {},
    ordered: {
      byUser: { groupOf: (event) => event.userId, compare: compareNewest },
      byTenant: { groupOf: (event) => event.tenantId, compare: compareNewest },
      byAge: { groupOf: () => everyEvent, compare: (a, b) => compareNewest(b, a) },
    },
  });
}

/** Builds the row of a new event, except its time. */
export function toEventRow(event: NewEvent): Omit<EventRecord, 'at'> {
  return {
    id: event.id,
    type: event.type,
    userId: event.userId,
    tenantId: event.tenantId,
    sessionId: event.sessionId,
    ipAddress: event.ipAddress,
    userAgent: event.userAgent,
    detail: copyJson(event.detail),
  };
}

/** Copies a row for a caller. */
export function fromEventRow(row: EventRecord): EventRecord {
  return { ...row, at: copyDate(row.at) };
}
