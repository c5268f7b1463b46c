/** A value that JSON can carry without loss. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; absent members are left out, never `undefined`. */
export interface JsonObject {
  readonly [member: string]: JsonValue;
}
