import { createCounterTable, type CounterTable } from './counter-table.ts';
import { createEventTable, type EventTable } from './event-table.ts';
import { createRateLimitTable, type RateLimitTable } from './rate-limit-table.ts';
import { createSessionTable, type SessionTable } from './session-table.ts';
import { createUserTable, type UserTable } from './user-table.ts';

/** All tables of one database, or of one transaction on it. */
export interface Tables {
  readonly users: UserTable;
  readonly sessions: SessionTable;
  readonly rateLimits: RateLimitTable;
  readonly events: EventTable;
  readonly counters: CounterTable;
}

/** Creates empty tables. */
export function createTables(): Tables {
  return {
    users: createUserTable(),
    sessions: createSessionTable(),
    rateLimits: createRateLimitTable(),
    events: createEventTable(),
    counters: createCounterTable(),
  };
}

/** Creates tables that keep their changes to themselves until they are committed. */
export function overlayTables(tables: Tables): Tables {
  return {
    users: tables.users.overlay(),
    sessions: tables.sessions.overlay(),
    rateLimits: tables.rateLimits.overlay(),
    events: tables.events.overlay(),
    counters: tables.counters.overlay(),
  };
}

/** Carries all changes of overlaid tables over to those below, at once. */
export function commitTables(overlay: Tables): void {
  for (const table of Object.values(overlay)) table.commit();
}
