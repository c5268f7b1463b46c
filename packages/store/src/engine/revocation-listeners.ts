import type { Revocation } from '../auth/sessions.ts';

type Listener = (revocation: Revocation) => void;

/** The listeners for revocations: the implementation of every engine's `onRevoked` in this process. */
export class RevocationListeners {
  readonly #added = new Set<{ readonly call: Listener }>();

  /** Adds a listener, until the returned function is called. A listener that is added twice is called twice. */
  add(listener: Listener): () => void {
    const entry = { call: listener };
    this.#added.add(entry);
    return () => void this.#added.delete(entry);
  }

  /** Notifies all listeners, in order. */
  notify(revocations: readonly Revocation[]): void {
    for (const revocation of revocations) for (const { call } of this.#added) call(revocation);
  }
}
