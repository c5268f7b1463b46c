import type { EventId, JsonObject, TransactionStores, UserId } from '@x/store';

/** Who changes something, for the log. */
export interface Operator {
  /** The user who does; null for the app itself. */
  readonly by: string | null;
  /** The tenant whose log tells of it. */
  readonly tenantId: string | null;
}

/** What is logged of a change. */
export interface AdminEvent {
  readonly type: AdminEventType;
  /** Whom it is about, where it is about a user. */
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
