import { CodedError, type Issue } from '@x/errors';
import { type EventId, isStorableText, type JsonObject, type TransactionStores, type UserId } from '@x/store';

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
  | 'group.member_added'
  | 'group.member_removed'
  | 'group.deleted'
  | 'plan.assigned'
  | 'add_on.attached'
  | 'add_on.detached'
  | 'limits.raised';

/** Logs a change in the transaction that makes it. */
export async function appendEvent({ events }: Pick<TransactionStores, 'events'>, event: AdminEvent): Promise<void> {
  const id = crypto.randomUUID() as EventId;
  await events.append({ id, ...event, sessionId: null, ipAddress: null, userAgent: null });
}

/** Builds the error for what the definition does not define or does not allow. */
export function invalid(message: string, issues: readonly Issue[] = []): CodedError {
  return new CodedError('VALIDATION_FAILED', message, issues.length > 0 ? { issues } : {});
}

/** @throws CodedError `VALIDATION_FAILED` for an id that no store can contain */
export function assertStorable(...ids: readonly string[]): void {
  if (!ids.every(isStorableText)) throw invalid('An id contains a character that is not allowed.');
}
