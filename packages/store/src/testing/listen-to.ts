import type { SessionId } from '../values.ts';
import type { Revocation } from '../auth/sessions.ts';
import type { Stores } from '../stores.ts';

/** Notes down what is told from now on. */
export function listenTo(stores: Stores): Revocation[] {
  const told: Revocation[] = [];
  stores.onRevoked((revocation) => void told.push(revocation));
  return told;
}

/** Says that a session is over. */
export function over(sessionId: SessionId): Revocation {
  return { sessionId, lowestVer: null };
}

/** Orders by session: which of those that one step ended is told first is open. */
export function compareSessions(a: Revocation, b: Revocation): number {
  if (a.sessionId === b.sessionId) return 0;
  return a.sessionId < b.sessionId ? -1 : 1;
}
