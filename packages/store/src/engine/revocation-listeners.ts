import type { Revocation } from '../auth/sessions.ts';

type Listener = (revocation: Revocation) => void;

/** The listeners for revocations: the implementation of every engine's `onRevoked` in this process. */
export class RevocationListeners {
  readonly #added = new Set<{ readonly tell: Listener }>();

  /** Adds a listener, until the returned function is called. A listener that is added twice is called twice. */
  add(listener: Listener): () => void {
    const entry = { tell: listener };
    this.#added.add(entry);
    return () => void this.#added.delete(entry);
  }

  /** Notifies all listeners, in order. */
  tell(revocations: readonly Revocation[]): void {
    for (const revocation of revocations) for (const { tell } of this.#added) tell(revocation);
  }
}
