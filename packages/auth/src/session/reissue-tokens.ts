import type { EventRecord, SessionWithUser } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents } from '../event/record-event.ts';
import { currentClaims, extraClaims } from './extra-claims.ts';
import { unauthenticated } from './get-session.ts';
import { inTenantOf, issueTokens, type SignedIn } from './issue-tokens.ts';

/** A session that a step changed, and what was logged of it. */
export interface ChangedSession extends SessionWithUser {
  readonly events: readonly EventRecord[];
}

/**
 * Changes a session by one step and hands out a JWT that says so. The refresh token stays the one that the session has
 * then: an answer that is lost costs nothing.
 *
 * @param expected - the session as the step will leave it, as far as the app's claims can tell
 * @returns null where the step changed nothing
 */
export async function reissueTokens(
  auth: AuthContext,
  expected: SessionWithUser,
  change: () => Promise<ChangedSession | null>,
): Promise<SignedIn | null> {
  // The app's code, so before the step.
  const user = inTenantOf(expected.session, expected.user);
  const prepared = await extraClaims(auth, { user, secondFactorAt: expected.session.secondFactorAt });
  const changed = await change();
  if (changed === null) return null;
  publishEvents(auth, changed.events);
  const { session } = changed;
  const { id: sessionId, generation, refreshSalt: salt, refreshTokenHash } = session;
  const refreshToken = auth.refreshTokens.deriveAgain({ sessionId, generation, salt }, refreshTokenHash);
  // Its secret was configured away: the session can't be refreshed either.
  if (refreshToken === null) throw unauthenticated();
  const subject = { user: inTenantOf(session, changed.user), secondFactorAt: session.secondFactorAt };
  const claims = await currentClaims(auth, subject, { user, claims: prepared });
  return issueTokens(auth, { user: changed.user, session, refreshToken, claims });
}
