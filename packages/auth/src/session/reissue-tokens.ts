import type { EventRecord, SessionWithUser } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents } from '../events/events.ts';
import { currentClaims, extraClaims } from './extra-claims.ts';
import { unauthenticated } from './read.ts';
import { inTenantOf, issueTokens, type SignedIn } from './issue.ts';

/** A session that a step changed, and the events it logged. */
export interface ChangedSession extends SessionWithUser {
  readonly events: readonly EventRecord[];
}

/**
 * Changes a session by one step, and issues a JWT for the changed session. The refresh token stays the current one, so
 * a lost response does no harm.
 *
 * @param expected - the session as the step will leave it, for the app's claims
 * @returns null if the step changed nothing
 */
export async function reissueTokens(
  auth: AuthContext,
  expected: SessionWithUser,
  change: () => Promise<ChangedSession | null>,
): Promise<SignedIn | null> {
  // Runs the app's code, so it comes before the step.
  const user = inTenantOf(expected.session, expected.user);
  const prepared = await extraClaims(auth, { user, secondFactorAt: expected.session.secondFactorAt });
  const changed = await change();
  if (changed === null) return null;
  publishEvents(auth, changed.events);
  const { session } = changed;
  const { id: sessionId, generation, refreshSalt: salt, refreshTokenHash } = session;
  const refreshToken = auth.refreshTokens.deriveAgain({ sessionId, generation, salt }, refreshTokenHash);
  // Its secret was removed from the configuration: the session can't be refreshed either.
  if (refreshToken === null) throw unauthenticated();
  const subject = { user: inTenantOf(session, changed.user), secondFactorAt: session.secondFactorAt };
  const claims = await currentClaims(auth, subject, { user, claims: prepared });
  return issueTokens(auth, { user: changed.user, session, refreshToken, claims });
}
