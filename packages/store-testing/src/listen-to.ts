import type { Revocation, SessionId, Stores } from '@x/store';

/** Collects the revocations that are reported from now on. */
export function listenTo(stores: Stores): Revocation[] {
  const reported: Revocation[] = [];
  stores.onRevoked((revocation) => void reported.push(revocation));
  return reported;
}

/** Returns the revocation of an ended session. */
export function ended(sessionId: SessionId): Revocation {
  return { sessionId, lowestVer: null };
}

/** Orders by session: the order in which those of one step are reported is not specified. */
export function compareSessions(a: Revocation, b: Revocation): number {
  if (a.sessionId === b.sessionId) return 0;
  return a.sessionId < b.sessionId ? -1 : 1;
}
