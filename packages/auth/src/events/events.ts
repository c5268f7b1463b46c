import type { Awaitable, Logger } from '@x/errors';
import type {
  Cause,
  EventId,
  EventRecord,
  JsonObject,
  NewEvent,
  SessionId,
  SessionWithUser,
  Stores,
  TransactionOptions,
  TransactionStores,
  UserId,
  UserRecord,
} from '@x/store';
import type { AccountChange } from '@x/store/engine';
import { type RequestContext, userAgentOf } from '../request/request-context.ts';
import type { BackgroundTasks } from './background.ts';

/** The dependencies of publishing events. */
export interface EventDependencies {
  /** The app's listener, called after the commit. */
  readonly onEvent: (event: EventRecord) => Awaitable<void>;
  /** Notifies the owner of an account of a change, after the response. */
  readonly notify: (change: NoticedEvent) => void;
  readonly logger: Logger;
  /** Work that continues after its response. */
  readonly background: BackgroundTasks;
}

/** The dependencies of a transaction whose events are published. */
interface LoggedDependencies {
  readonly stores: Pick<Stores, 'transaction'>;
  readonly events: EventDependencies;
}

const noticedChanges = [
  'password.changed',
  'password.reset',
  'email_change.requested',
  'email.changed',
  'mfa.enabled',
  'mfa.disabled',
  'mfa.backup_codes_replaced',
  'mfa.locked',
  'oauth_account.linked',
  'oauth_account.unlinked',
  'account.reclaimed',
] as const;

/** The changes of how an account is signed in to, of which its owner is notified. */
export type NoticedChange = (typeof noticedChanges)[number];

/** The types of events that a user can see in their own history, or an operator in the log. */
export type AuthEventType = AuthEvent['type'] | AccountChange;

/** Whom an event is about. */
export interface EventSubject {
  readonly userId: UserId | null;
  readonly tenantId?: string | null;
  readonly sessionId?: SessionId | null;
}

/** A security event that is no change of a user or a session: the steps of the stores log those. */
export type AuthEvent = EventSubject & { readonly detail?: JsonObject } & (PlainEvent | ChangeEvent);

interface PlainEvent {
  readonly type:
    | 'email_verification.requested'
    | 'password.refused'
    | 'password_reset.requested'
    | 'sign_in.failed'
    | 'mfa.challenged'
    | 'mfa.refused'
    | 'refresh_token.reused'
    | 'rate_limit.reached';
  readonly owner?: never;
}

/** An event that the owner of the account is notified of. */
interface ChangeEvent {
  readonly type: Exclude<NoticedChange, `password.${string}` | 'email.changed' | 'account.reclaimed'>;
  /** The user before the change, read while their row was locked. Null for a new user, who needs no notice. */
  readonly owner: UserRecord | null;
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

/** The part that a verb knows of the cause of a logged change. */
interface Why extends Pick<Cause, 'tenantId' | 'sessionId' | 'isImplied' | 'detail'> {
  readonly reason?: ChangeReason;
  /** The user before a change that they are notified of. */
  readonly owner?: UserRecord;
}

/** Why users and sessions are changed, if a request did not ask for just that. */
type ChangeReason =
  | 'sign_out'
  | 'revoked'
  | 'others_revoked'
  | 'operator'
  | 'password_changed'
  | 'password_reset'
  | 'account_reclaimed'
  | 'account_deleted'
  | 'refresh_token_reused'
  | 'sign_in_failed';

/** The events of one transaction: those it appends, and those of its steps. They are published after the commit. */
export class EventLog {
  readonly #request: RequestContext;
  readonly #actor: string | undefined;
  readonly #recorded: { readonly record: EventRecord; readonly noticed: NoticedEvent | null }[] = [];

  /** @param actor - the operator who acts for the user, if one does */
  constructor(request: RequestContext, actor?: string) {
    this.#request = request;
    this.#actor = actor;
  }

  /** Appends an event through the given stores, so that it commits together with what it is about. */
  async append(stores: TransactionStores, event: AuthEvent): Promise<void> {
    const actor = this.#actor;
    const detail = { ...event.detail, ...(actor !== undefined && { actor }) };
    const id = crypto.randomUUID() as EventId;
    this.add(await stores.events.append(toNewEvent({ ...event, detail }, id, this.#request)), event.owner);
  }

  /** Builds the cause of a step, which logs what it changes. */
  cause({ owner, ...why }: Why = {}): Cause {
    return {
      ...(this.#actor !== undefined && { by: this.#actor }),
      ...why,
      ipAddress: this.#request.ipAddress,
      userAgent: userAgentOf(this.#request),
      onRecorded: (records) => {
        for (const record of records) this.add(record, owner);
      },
    };
  }

  /** Adds an event that is stored already. */
  add(record: EventRecord, owner?: UserRecord | null): void {
    const change = noticedChanges.find((type) => type === record.type);
    this.#recorded.push({ record, noticed: owner && change ? { change, record, owner } : null });
  }

  /**
   * Publishes the events once they are committed: to the app's listener, and to the owners of accounts that they
   * changed. Errors of the listener are logged and have no other effect.
   */
  publish(deps: EventDependencies): void {
    for (const { record, noticed } of this.#recorded) {
      deps.background.add(publishEvent(deps, record));
      if (noticed) deps.notify(noticed);
    }
  }
}

/** A transaction, and the events that it logs. */
export interface LoggedStep {
  readonly stores: TransactionStores;
  readonly log: EventLog;
}

/** Runs a transaction, and publishes its events after the commit. */
export async function loggedTransaction<Outcome>(
  { stores, events }: LoggedDependencies,
  request: RequestContext,
  work: (stores: TransactionStores, log: EventLog) => Promise<Outcome>,
  options?: TransactionOptions,
): Promise<Outcome> {
  const { outcome, log } = await stores.transaction(async (inside) => {
    const log = new EventLog(request);
    return { outcome: await work(inside, log), log };
  }, options);
  log.publish(events);
  return outcome;
}

/** Appends one event, and publishes it. */
export async function logEvent(
  { stores, events }: { readonly stores: Stores; readonly events: EventDependencies },
  event: AuthEvent,
  request: RequestContext,
): Promise<void> {
  const log = new EventLog(request);
  await log.append(stores, event);
  log.publish(events);
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

async function publishEvent(deps: EventDependencies, event: EventRecord): Promise<void> {
  try {
    await deps.onEvent(event);
  } catch (err) {
    deps.logger.error({ err, eventType: event.type }, 'the event listener failed');
  }
}
