/** A value that can change, in the shape that React's `useSyncExternalStore` takes. */
export interface Subscribable<T> {
  /** Calls the listener after every change; returns the function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns the same object until the value changes. */
  readonly getSnapshot: () => T;
}

/** Notifies its listeners. */
export interface Signal extends Pick<Subscribable<never>, 'subscribe'> {
  readonly emit: () => void;
}

/** Creates a signal without listeners. */
export function createSignal(): Signal {
  const listeners = new Set<() => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    emit: () => listeners.forEach((listener) => listener()),
  };
}
