import type { Awaitable, Logger } from '@x/errors';
import type { EventId, EventRecord, JsonObject, SessionId, SessionWithUser, TransactionStores, UserId } from '@x/store';
import { type RequestContext, userAgentOf } from '../request/request-context.ts';
import type { BackgroundTasks } from './background.ts';

/** What logging and publishing events works with. */
export interface EventDependencies {
  /** The app's listener, called after the commit. */
  readonly onEvent: (event: EventRecord) => Awaitable<void>;
  readonly logger: Logger;
  /** Work that continues after its response. */
  readonly background: BackgroundTasks;
}

/** The security steps that are logged. */
export type AuthEventType =
  | 'user.created'
  | 'user.deleted'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.role_changed'
  | 'email_verification.requested'
  | 'email.verified'
  | 'email_change.requested'
  | 'email.changed'
  | 'password.changed'
  | 'password.refused'
  | 'password_reset.requested'
  | 'password.reset'
  | 'oauth_account.linked'
  | 'oauth_account.unlinked'
  | 'account.reclaimed'
  | 'sign_in.succeeded'
  | 'sign_in.failed'
  | 'mfa.enabled'
  | 'mfa.disabled'
  | 'mfa.backup_codes_replaced'
  | 'mfa.challenged'
  | 'mfa.verified'
  | 'mfa.refused'
  | 'mfa.locked'
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

/** What happened, and to whom. */
export interface AuthEvent extends EventSubject {
  readonly type: AuthEventType;
  readonly detail?: JsonObject;
}

/** Returns whom the events of a session are about: in its own tenant, wherever the user may have moved elsewhere. */
export function aboutSession({ session, user }: SessionWithUser): SessionSubject {
  return { userId: user.id, tenantId: session.tenantId, sessionId: session.id };
}

interface SessionSubject extends Required<EventSubject> {
  readonly userId: UserId;
}

/** Appends an event through the given stores, so that it commits together with what it records. */
export function recordEvent(
  stores: TransactionStores,
  event: AuthEvent,
  request: RequestContext,
): Promise<EventRecord> {
  return stores.events.append({
    id: crypto.randomUUID() as EventId,
    type: event.type,
    userId: event.userId,
    tenantId: event.tenantId ?? null,
    sessionId: event.sessionId ?? null,
    ipAddress: request.ipAddress,
    userAgent: userAgentOf(request),
    detail: event.detail ?? {},
  });
}

/** Publishes committed events to the app's listener. What the listener throws is logged and has no other effect. */
export function publishEvents(deps: EventDependencies, events: readonly EventRecord[]): void {
  for (const event of events) deps.background.add(publishEvent(deps, event));
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
): Promise<readonly EventRecord[]> {
  return sessions.ended.length === 0 ? [] : [await recordEvent(stores, toRevocationEvent(sessions), request)];
}

/** Builds the event of the sessions that a step ended. If there is only one, it is also the event's own session. */
export function toRevocationEvent({ userId, tenantId, ended, reason }: EndedSessions): AuthEvent {
  const [first = null, ...others] = ended;
  const sessionId = others.length === 0 ? first : null;
  return { type: 'session.revoked', userId, tenantId, sessionId, detail: { reason, sessionIds: [...ended] } };
}
