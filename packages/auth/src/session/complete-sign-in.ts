import type { AuthContext } from '../auth-context.ts';
import { publishEvents } from '../event/record-event.ts';
import { issueTokens, type SignedIn } from './issue-tokens.ts';
import type { StartedSession } from './start-session.ts';

/** Does what follows the commit of a new session: refuses the JWTs of those that gave way, tells the app, issues tokens. */
export async function completeSignIn(auth: AuthContext, started: StartedSession): Promise<SignedIn> {
  for (const id of started.revoked) auth.revokedSessions.add(id);
  publishEvents(auth, started.events);
  return issueTokens(auth, started);
}
