declare const kind: unique symbol;

/** A string that names one record of one kind, so that a session's id can't be passed for a user's. */
type Id<Kind extends string> = string & { readonly [kind]: Kind };

/** Names one user. */
export type UserId = Id<'user'>;

/** Names one session; the `sid` claim of its JWTs. A UUID in lower case. */
export type SessionId = Id<'session'>;

/** Names one event. */
export type EventId = Id<'event'>;
