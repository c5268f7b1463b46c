/** What JSON makes of a value of the server: a date is an ISO 8601 text, and nothing else changes. */
export type OnWire<T> = T extends Date ? string : T extends object ? { readonly [K in keyof T]: OnWire<T[K]> } : T;
