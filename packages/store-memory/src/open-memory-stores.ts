import type { Clock, Stores, TransactionStores } from '@x/store';
import { createCounterStore } from './counters.ts';
import { createEventStore } from './events.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { createRateLimitStore } from './rate-limits.ts';
import { Scope } from './scope.ts';
import { createSessionStore } from './sessions.ts';
import { createUserStore } from './users.ts';

/** Opens stores on a database, beside others that may be open on it. */
export function openMemoryStores(database: MemoryDatabase, clock: Clock): Stores {
  const scope = new Scope(database.tables, clock, database.turns);
  const answer = async (): Promise<void> => scope.read(() => undefined);
  return { ...toStores(scope), clock, migrate: answer, ping: answer, close: async () => scope.end() };
}

function toStores(scope: Scope): TransactionStores {
  return {
    users: createUserStore(scope),
    sessions: createSessionStore(scope),
    rateLimits: createRateLimitStore(scope),
    events: createEventStore(scope),
    counters: createCounterStore(scope),
    transaction: async (work) => scope.transaction(async (inside) => work(toStores(inside))),
  };
}
