import type { SessionState, Subscribable } from '../index.ts';

/** Calls the listener when another user signs in, or the tenant changes; returns the function that unsubscribes. */
export function followOwner(session: Pick<Subscribable<SessionState>, 'subscribe'>, onChange: () => void): () => void {
  let owner: string | undefined;
  return session.subscribe(({ user }) => {
    const before = owner;
    owner = `${user?.id} ${user?.tenantId}`;
    if (before && before !== owner) onChange();
  });
}
