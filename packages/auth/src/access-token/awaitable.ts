/** A value, or a promise of one if it is not available yet. */
export type Awaitable<T> = T | Promise<T>;
