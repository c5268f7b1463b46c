import type { AuthContext } from '../auth-context.ts';
import { publishEvents } from '../event/record-event.ts';
import type { SignedIn } from './issue-tokens.ts';
import type { StartedSession } from './start-session.ts';

/** Does what follows the commit of a new session: refuses the JWTs of those that gave way, and tells the app. */
export function completeSignIn(auth: AuthContext, { signedIn, revoked, events }: StartedSession): SignedIn {
  for (const id of revoked) auth.revokedSessions.add(id);
  publishEvents(auth, events);
  return signedIn;
}
