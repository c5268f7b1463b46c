/** The type of a server's value after JSON: dates become ISO 8601 strings, and nothing else changes. */
export type Serialized<T> = T extends Date
  ? string
  : T extends object
    ? { readonly [K in keyof T]: Serialized<T[K]> }
    : T;
