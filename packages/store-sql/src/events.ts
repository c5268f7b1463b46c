import type { EventRecord, EventStore, Page, PageRequest } from '@x/store';
import { parseCursor, toPage } from '@x/store/engine';

import { defineColumns, json, moment, text, textOrNull } from './columns.ts';
import type { OnScope, SqlDialect, SqlScope, SqlStoreDependencies } from './sql-driver.ts';

const eventColumns = defineColumns((row): EventRecord => ({
  id: text(row['id']),
  type: text(row['type']),
  at: moment(row['at']),
  userId: textOrNull(row['user_id']),
  tenantId: textOrNull(row['tenant_id']),
  sessionId: textOrNull(row['session_id']),
  ipAddress: textOrNull(row['ip_address']),
  userAgent: textOrNull(row['user_agent']),
  detail: json(row['detail']),
}));

const insertEvent = `
  INSERT INTO auth_events (${eventColumns.names}) VALUES (${eventColumns.placeholders})
  RETURNING ${eventColumns.names}`;

const firstByUser = `
  SELECT ${eventColumns.names} FROM auth_events WHERE user_id = $1
  ORDER BY at DESC, id LIMIT $2`;

const nextByUser = `
  SELECT ${eventColumns.names} FROM auth_events WHERE user_id = $1 AND at <= $3 AND (at < $3 OR id > $4)
  ORDER BY at DESC, id LIMIT $2`;

const firstByTenant = `
  SELECT ${eventColumns.names} FROM auth_events WHERE tenant_id = $1
  ORDER BY at DESC, id LIMIT $2`;

const nextByTenant = `
  SELECT ${eventColumns.names} FROM auth_events WHERE tenant_id = $1 AND at <= $3 AND (at < $3 OR id > $4)
  ORDER BY at DESC, id LIMIT $2`;

// A separate `WITH`, because inside `IN`, Postgres may run a locking `LIMIT` more than once.
const toDeleteOldest = ({ lockFreeRows }: SqlDialect): string => `
  WITH oldest AS (SELECT id FROM auth_events WHERE at < $1 ORDER BY at, id LIMIT $2 ${lockFreeRows})
  DELETE FROM auth_events WHERE id IN (SELECT id FROM oldest)`;

/** Builds the event store of every scope. */
export function createSqlEvents({ dialect, clock }: SqlStoreDependencies): OnScope<EventStore> {
  const deleteOldest = toDeleteOldest(dialect);
  return (sql) => ({
    async append(event) {
      const rows = await sql.write(
        insertEvent,
        eventColumns.bind(event, () => ({ at: clock.now() })),
      );
      const stored = eventColumns.decodeFirst(rows);
      if (!stored) throw new TypeError('An insert returned no row.');
      return stored;
    },

    listByUser: (userId, page) => listEvents(sql, { owner: userId, page, first: firstByUser, next: nextByUser }),

    listByTenant: (tenantId, page) =>
      listEvents(sql, { owner: tenantId, page, first: firstByTenant, next: nextByTenant }),

    prune: ({ before, limit }) => sql.execute(deleteOldest, [before.getTime(), limit]),
  });
}

interface EventListing {
  readonly owner: string;
  readonly page: PageRequest;
  /** The statement of the first page. */
  readonly first: string;
  /** The statement of a page after a cursor. */
  readonly next: string;
}

async function listEvents(sql: SqlScope, { owner, page, first, next }: EventListing): Promise<Page<EventRecord>> {
  const limit = page.limit + 1;
  const after = page.after === null ? null : parseCursor(page.after);
  const rows = after
    ? await sql.read(next, [owner, limit, after.at.getTime(), after.id])
    : await sql.read(first, [owner, limit]);
  return toPage(rows.map(eventColumns.decode), page.limit, (event) => event);
}
