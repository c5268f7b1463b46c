/** Something to be told of, in the shape of React's `useSyncExternalStore`. */
export interface Subscribable<T> {
  /** Calls the listener after every change; returns what ends that. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns the same object until there is another one. */
  readonly getSnapshot: () => T;
}

/** Tells whoever wants to be told. */
export interface Signal extends Pick<Subscribable<never>, 'subscribe'> {
  readonly emit: () => void;
}

/** Creates a signal that nobody listens to yet. */
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
