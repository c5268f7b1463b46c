declare const kind: unique symbol;

/** A string that identifies a record of one kind, branded so that a session's id can't be passed for a user's. */
type Id<Kind extends string> = string & { readonly [kind]: Kind };

/** Identifies a user. */
export type UserId = Id<'user'>;

/** Identifies a session; the `sid` claim of its JWTs. A UUID in lower case. */
export type SessionId = Id<'session'>;

/** Identifies an event. */
export type EventId = Id<'event'>;

/** A value that JSON can carry without loss. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; absent members are left out, never `undefined`. */
export interface JsonObject {
  readonly [member: string]: JsonValue;
}
