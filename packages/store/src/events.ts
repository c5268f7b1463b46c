import type { Page, PageRequest } from './paging.ts';
import type { EventId, JsonObject, SessionId, UserId } from './values.ts';

/** One entry of the security and access log: actor, action, time and origin. Never contains a secret. */
export interface EventRecord {
  readonly id: EventId;
  /** A dotted name such as `sign_in.failed`. */
  readonly type: string;
  readonly at: Date;
  /** How often it happened; more than once only if further events were counted on this one, since `at`. */
  readonly occurrences: number;
  readonly userId: UserId | null;
  readonly tenantId: string | null;
  readonly sessionId: SessionId | null;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  readonly detail: JsonObject;
}

/** An event to append; the store adds the time from its clock. It occurred once. */
export type NewEvent = Omit<EventRecord, 'at' | 'occurrences'>;

/**
 * Why a step changes something, which only its caller knows. The step itself logs its changes in the same transaction,
 * for every caller.
 */
export interface Cause {
  /** The id of the user, or of the program, that makes the change. Default null: the app itself. */
  readonly by?: string | null;
  /**
   * The tenant in whose log the change belongs, unless the change names one; null for none. Default: the tenant of the
   * user that changes, or none.
   */
  readonly tenantId?: string | null;
  /** Such as `account_reclaimed`, if `by` did not request the change itself. Default: not recorded. */
  readonly reason?: string;
  /** The session that the change was requested in. Default null: none. */
  readonly sessionId?: SessionId | null;
  /** The address that the request came from. Default null. */
  readonly ipAddress?: string | null;
  /** The program that sent the request. Default null. */
  readonly userAgent?: string | null;
  /**
   * Whether another change of the same user, which is logged, brings this one along: the first session of a new
   * account, or the tenant that a new membership leads to. It has no event of its own then. Default: false.
   */
  readonly isImplied?: boolean;
  /** Details of the change that only the caller knows, such as the provider of a sign-in. Never a secret. */
  readonly detail?: JsonObject;
  /** Receives the events of the step, once it has logged them; a transaction around it may still be rolled back. */
  readonly onRecorded?: (events: readonly EventRecord[]) => void;
}

/** An append-only log. Events outlive their subjects: their ids need not refer to rows that exist. */
export interface EventStore {
  /** Appends an event; in a transaction, it commits together with the change that it records. */
  append(event: NewEvent): Promise<EventRecord>;

  /**
   * Appends an event; if there is one with its id already, raises the `occurrences` of that one instead, and changes
   * nothing else of it. Returns the event as stored.
   */
  appendOrCount(event: NewEvent): Promise<EventRecord>;

  /** Lists a user's events, newest first, then by id. An invalid cursor: `INVALID_QUERY`. */
  listByUser(userId: UserId, page: PageRequest): Promise<Page<EventRecord>>;

  /** Lists a tenant's events, newest first, then by id. An invalid cursor: `INVALID_QUERY`. */
  listByTenant(tenantId: string, page: PageRequest): Promise<Page<EventRecord>>;

  /** Deletes up to `limit` events older than `before`, oldest first, and returns how many. */
  prune(options: {
    readonly before: Date;
    /** Only events of this type. */
    readonly type?: string;
    readonly limit: number;
  }): Promise<number>;
}
