import type { Cause, EventRecord, EventStore, NewEvent, Page, PageRequest } from '@x/store';
import { parseCursor, type Recorded, toEvents, toPage } from '@x/store/engine';
import { defineColumns, integer, json, moment, text, textOrNull } from './columns.ts';
import { deleteFirst } from './delete-first.ts';
import type { SqlExecutor } from './sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from './store-dependencies.ts';

const eventColumns = defineColumns((row): EventRecord => ({
  id: text(row['id']),
  type: text(row['type']),
  at: moment(row['at']),
  occurrences: integer(row['occurrences']),
  userId: textOrNull(row['user_id']),
  tenantId: textOrNull(row['tenant_id']),
  sessionId: textOrNull(row['session_id']),
  ipAddress: textOrNull(row['ip_address']),
  userAgent: textOrNull(row['user_agent']),
  detail: json(row['detail']),
}));

const eventColumnCount = eventColumns.names.split(', ').length;

const insertEvent = `
  INSERT INTO auth_events (${eventColumns.names}) VALUES (${eventColumns.placeholders})
  RETURNING ${eventColumns.names}`;

/** The statements that insert a number of events, each a power of two, the greatest first: an engine caches them. */
const insertMany = [128, 64, 32, 16, 8, 4, 2, 1].map((count) => {
  const row = (at: number): string =>
    `(${Array.from({ length: eventColumnCount }, (_, index) => `$${at * eventColumnCount + index + 1}`).join(', ')})`;
  const rows = Array.from({ length: count }, (_, at) => row(at)).join(', ');
  return { count, statement: `INSERT INTO auth_events (${eventColumns.names}) VALUES ${rows}` };
});

const insertOrCount = `
  INSERT INTO auth_events (${eventColumns.names}) VALUES (${eventColumns.placeholders})
  ON CONFLICT (id) DO UPDATE SET occurrences = auth_events.occurrences + 1
  RETURNING ${eventColumns.names}`;

/** Selects the first page of the events of an owner, whose column is given, and a page after a cursor. */
const toListing = (owner: 'user_id' | 'tenant_id'): EventListing => {
  const select = (isAfter: string): string => `
  SELECT ${eventColumns.names} FROM auth_events WHERE ${owner} = $1${isAfter}
  ORDER BY at DESC, id LIMIT $2`;
  return { first: select(''), next: select(' AND at <= $3 AND (at < $3 OR id > $4)') };
};

interface EventListing {
  readonly first: string;
  readonly next: string;
}

const [ofUser, ofTenant] = [toListing('user_id'), toListing('tenant_id')];

/** Builds the event store. */
export function createSqlEvents({ dialect, clock }: SqlStoreDependencies): OnExecutor<EventStore> {
  const oldest = { table: 'auth_events', key: 'id', order: 'at, id' };
  const deleteOldest = deleteFirst(dialect, { ...oldest, where: 'at < $1' });
  const deleteOldestOfType = deleteFirst(dialect, { ...oldest, where: 'type = $3 AND at < $1' });
  const insert = async (sql: SqlExecutor, statement: string, event: NewEvent): Promise<EventRecord> => {
    const rows = await sql.write(
      statement,
      eventColumns.bind({ ...event, occurrences: 1 }, () => ({ at: clock.now() })),
    );
    const stored = eventColumns.decodeFirst(rows);
    if (!stored) throw new TypeError('An insert returned no row.');
    return stored;
  };
  return (sql) => ({
    append: (event) => insert(sql, insertEvent, event),

    appendOrCount: (event) => insert(sql, insertOrCount, event),

    listByUser: (userId, page) => listEvents(sql, ofUser, { owner: userId, page }),

    listByTenant: (tenantId, page) => listEvents(sql, ofTenant, { owner: tenantId, page }),

    prune: ({ before, type, limit }) =>
      type === undefined
        ? sql.execute(deleteOldest, [before.getTime(), limit])
        : sql.execute(deleteOldestOfType, [before.getTime(), limit, type]),
  });
}

/** Writes what steps change to the log. */
export interface Recording {
  /** Runs work as one step, and in the same step appends the events of what it changed. */
  readonly record: <Outcome>(
    sql: SqlExecutor,
    cause: Cause | undefined,
    work: RecordedWork<Outcome>,
  ) => Promise<Outcome>;

  /** Does the same within a step. */
  readonly recordIn: <Outcome>(
    step: SqlExecutor,
    cause: Cause | undefined,
    work: RecordedWork<Outcome>,
  ) => Promise<Outcome>;
}

type RecordedWork<Outcome> = (step: SqlExecutor) => Promise<Recorded<Outcome>>;

/** Creates what the stores write their changes to the log with. */
export function createRecording({ clock }: Pick<SqlStoreDependencies, 'clock'>): Recording {
  const append = async (step: SqlExecutor, events: readonly NewEvent[]): Promise<readonly EventRecord[]> => {
    const appended: EventRecord[] = [];
    for (const { count, statement } of insertMany) {
      while (events.length - appended.length >= count) {
        const some = events.slice(appended.length, appended.length + count);
        let rows: readonly EventRecord[] = [];
        await step.execute(statement, () => {
          const at = clock.now();
          rows = some.map((event) => ({ ...event, at, occurrences: 1 }));
          return rows.flatMap((row) => eventColumns.encode(row));
        });
        appended.push(...rows);
      }
    }
    return appended;
  };
  const recordIn: Recording['recordIn'] = async (step, cause, work) => {
    const { outcome, recorded } = await work(step);
    const events = await append(step, toEvents(recorded, cause));
    if (events.length > 0) cause?.onRecorded?.(events);
    return outcome;
  };
  return { record: (sql, cause, work) => sql.step((step) => recordIn(step, cause, work)), recordIn };
}

async function listEvents(
  sql: SqlExecutor,
  { first, next }: EventListing,
  { owner, page }: { readonly owner: string; readonly page: PageRequest },
): Promise<Page<EventRecord>> {
  const limit = page.limit + 1;
  const after = page.after === null ? null : parseCursor(page.after);
  const rows = after
    ? await sql.read(next, [owner, limit, after.at.getTime(), after.id])
    : await sql.read(first, [owner, limit]);
  return toPage(rows.map(eventColumns.decode), page.limit, (event) => event);
}
