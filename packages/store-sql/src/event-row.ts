import type { EventId, EventRecord, NewEvent, SessionId, UserId } from '@x/store';

import { type IntegerColumn, type JsonColumn, toDate, toJsonObject } from './column.ts';
import type { SqlRow, SqlValue } from './sql-driver.ts';

/** The columns of an event: those that {@link toEventValues} binds, in its order, then the moment. */
export const eventColumns = 'id, type, user_id, tenant_id, session_id, ip_address, user_agent, detail, at';

/** Converts a row of {@link eventColumns} to the event. */
export function toEventRecord(columns: SqlRow): EventRecord {
  const row = columns as unknown as EventRow;
  return {
    id: row.id,
    type: row.type,
    at: toDate(row.at),
    userId: row.user_id,
    tenantId: row.tenant_id,
    sessionId: row.session_id,
    ipAddress: row.ip_address,
    userAgent: row.user_agent,
    detail: toJsonObject(row.detail),
  };
}

/** Converts a new event to the values of the first {@link eventColumns}. */
export function toEventValues(event: NewEvent): readonly SqlValue[] {
  return [
    event.id,
    event.type,
    event.userId,
    event.tenantId,
    event.sessionId,
    event.ipAddress,
    event.userAgent,
    JSON.stringify(event.detail),
  ];
}

interface EventRow {
  readonly id: EventId;
  readonly type: string;
  readonly at: IntegerColumn;
  readonly user_id: UserId | null;
  readonly tenant_id: string | null;
  readonly session_id: SessionId | null;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly detail: JsonColumn;
}
