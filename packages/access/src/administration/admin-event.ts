import type { EventId, JsonObject, TransactionStores, UserId } from '@x/store';

/** Who makes a change, for the log. */
export interface Operator {
  /** The user; null for the app itself. */
  readonly by: string | null;
  /** The tenant in whose log the change is recorded. */
  readonly tenantId: string | null;
}

/** The event of a change. */
export interface AdminEvent {
  readonly type: AdminEventType;
  /** The user concerned, if any. */
  readonly userId: UserId | null;
  readonly tenantId: string | null;
  readonly detail: JsonObject;
}

type AdminEventType =
  | 'role.assigned'
  | 'role.revoked'
  | 'resource.moved'
  | 'plan.assigned'
  | 'add_on.attached'
  | 'add_on.detached'
  | 'limits.raised';

/** Logs a change in the transaction that makes it. */
export async function appendEvent({ events }: Pick<TransactionStores, 'events'>, event: AdminEvent): Promise<void> {
  const id = crypto.randomUUID() as EventId;
  await events.append({ id, ...event, sessionId: null, ipAddress: null, userAgent: null });
}
