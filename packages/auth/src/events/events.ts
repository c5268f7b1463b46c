import type { Awaitable, Logger } from '@x/errors';
import type {
  EventId,
  EventRecord,
  JsonObject,
  NewEvent,
  SessionId,
  SessionWithUser,
  TransactionStores,
  UserId,
  UserRecord,
} from '@x/store';
import { type RequestContext, userAgentOf } from '../request/request-context.ts';
import type { BackgroundTasks } from './background.ts';

/** The dependencies of logging and publishing events. */
export interface EventDependencies {
  /** The app's listener, called after the commit. */
  readonly onEvent: (event: EventRecord) => Awaitable<void>;
  /** Notifies the owner of an account of a change, after the response. */
  readonly notify: (change: NoticedEvent) => void;
  readonly logger: Logger;
  /** Work that continues after its response. */
  readonly background: BackgroundTasks;
}

/** The changes of how an account is signed in to, of which its owner is notified. */
export type NoticedChange =
  | 'password.changed'
  | 'password.reset'
  | 'email_change.requested'
  | 'email.changed'
  | 'mfa.enabled'
  | 'mfa.disabled'
  | 'mfa.backup_codes_replaced'
  | 'mfa.locked'
  | 'oauth_account.linked'
  | 'oauth_account.unlinked'
  | 'account.reclaimed';

/** The security steps that are logged. */
export type AuthEventType =
  | NoticedChange
  | 'user.created'
  | 'user.deleted'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.role_changed'
  | 'user.updated'
  | 'email_verification.requested'
  | 'email.verified'
  | 'password.refused'
  | 'password_reset.requested'
  | 'sign_in.succeeded'
  | 'sign_in.failed'
  | 'mfa.challenged'
  | 'mfa.verified'
  | 'mfa.refused'
  | 'session.revoked'
  | 'session.confirmed'
  | 'session.tenant_switched'
  | 'refresh_token.reused'
  | 'rate_limit.reached';

/** Whom an event is about. */
export interface EventSubject {
  readonly userId: UserId | null;
  readonly tenantId?: string | null;
  readonly sessionId?: SessionId | null;
}

/** An event and its subject. */
export type AuthEvent = EventSubject & { readonly detail?: JsonObject } & (PlainEvent | ChangeEvent);

interface PlainEvent {
  readonly type: Exclude<AuthEventType, NoticedChange>;
  readonly owner?: never;
}

/** An event that the owner of the account is notified of. */
interface ChangeEvent {
  readonly type: NoticedChange;
  /** The user before the change, read while their row was locked. Null for a new user, who needs no notice. */
  readonly owner: UserRecord | null;
}

/** A logged event, to be published after the commit. */
export interface RecordedEvent {
  readonly record: EventRecord;
  /** Null if no notice is sent. */
  readonly noticed: NoticedEvent | null;
}

/** A change, and the user before it: the notice goes to their old address. */
interface NoticedEvent {
  readonly change: NoticedChange;
  readonly record: EventRecord;
  readonly owner: UserRecord;
}

/** Returns whom the events of a session are about: in its own tenant, wherever the user may have moved elsewhere. */
export function aboutSession({ session, user }: SessionWithUser): SessionSubject {
  return { userId: user.id, tenantId: session.tenantId, sessionId: session.id };
}

interface SessionSubject extends Required<EventSubject> {
  readonly userId: UserId;
}

/** Appends an event through the given stores, so that it commits together with the change that it records. */
export async function recordEvent(
  stores: TransactionStores,
  event: AuthEvent,
  request: RequestContext,
): Promise<RecordedEvent> {
  const record = await stores.events.append(toNewEvent(event, crypto.randomUUID() as EventId, request));
  return { record, noticed: event.owner ? { change: event.type, record, owner: event.owner } : null };
}

/** Builds the event to store. */
export function toNewEvent(event: AuthEvent, id: EventId, request: RequestContext): NewEvent {
  return {
    id,
    type: event.type,
    userId: event.userId,
    tenantId: event.tenantId ?? null,
    sessionId: event.sessionId ?? null,
    ipAddress: request.ipAddress,
    userAgent: userAgentOf(request),
    detail: event.detail ?? {},
  };
}

/**
 * Publishes committed events: to the app's listener, and to the owners of accounts that they changed. Errors of the
 * listener are logged and have no other effect.
 */
export function publishEvents(deps: EventDependencies, events: readonly RecordedEvent[]): void {
  for (const { record, noticed } of events) {
    deps.background.add(publishEvent(deps, record));
    if (noticed) deps.notify(noticed);
  }
}

async function publishEvent(deps: EventDependencies, event: EventRecord): Promise<void> {
  try {
    await deps.onEvent(event);
  } catch (err) {
    deps.logger.error({ err, eventType: event.type }, 'the event listener failed');
  }
}

/** Why a step ended sessions as a side effect. */
type RevocationReason =
  | 'sign_out'
  | 'revoked'
  | 'others_revoked'
  | 'too_many_sessions'
  | 'operator'
  | 'password_changed'
  | 'password_reset'
  | 'account_reclaimed';

/** The sessions of one user that a step ended. */
interface EndedSessions {
  readonly userId: UserId;
  readonly tenantId: string | null;
  readonly ended: readonly SessionId[];
  readonly reason: RevocationReason;
}

/** Appends one event for all sessions that a step ended, if any. */
export async function recordRevocation(
  stores: TransactionStores,
  sessions: EndedSessions,
  request: RequestContext,
): Promise<readonly RecordedEvent[]> {
  return sessions.ended.length === 0 ? [] : [await recordEvent(stores, toRevocationEvent(sessions), request)];
}

/** Builds the event of the sessions that a step ended. If there is only one, it is also the event's own session. */
export function toRevocationEvent({ userId, tenantId, ended, reason }: EndedSessions): AuthEvent {
  const [first = null, ...others] = ended;
  const sessionId = others.length === 0 ? first : null;
  return { type: 'session.revoked', userId, tenantId, sessionId, detail: { reason, sessionIds: [...ended] } };
}
