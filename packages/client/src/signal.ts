/** A value that can change: a store in the sense of Svelte, and what React's `useSyncExternalStore` takes. */
export interface Subscribable<T> {
  /** Calls the listener with the value, at once and after every change; returns the function that unsubscribes. */
  readonly subscribe: (listener: (value: T) => void) => () => void;
  /** Returns the same object until the value changes. */
  readonly getSnapshot: () => T;
}

/** Tells its listeners of events. */
export interface Signal<T = void> {
  /** Calls the listener at every event; returns the function that unsubscribes. */
  readonly subscribe: (listener: (event: T) => void) => () => void;
  readonly emit: (event: T) => void;
  readonly listeners: ReadonlySet<unknown>;
}

/** Creates a signal without listeners. */
export function createSignal<T = void>(): Signal<T> {
  const listeners = new Set<(event: T) => void>();
  return {
    listeners,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit: (event) => listeners.forEach((listener) => listener(event)),
  };
}
