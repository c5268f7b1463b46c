import type { Revocation } from './sessions.ts';

type Listener = (revocation: Revocation) => void;

/** Who is told of revocations: what `onRevoked` of every engine in this process is made of. */
export class RevocationListeners {
  readonly #added = new Set<{ readonly tell: Listener }>();

  /** Adds a listener, until the returned function is called. One that is added twice is told twice. */
  add(listener: Listener): () => void {
    const entry = { tell: listener };
    this.#added.add(entry);
    return () => void this.#added.delete(entry);
  }

  /** Tells everybody of everything, in order. */
  tell(revocations: readonly Revocation[]): void {
    for (const revocation of revocations) for (const { tell } of this.#added) tell(revocation);
  }
}
