import { requireActive } from '../password/confirm.ts';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents } from '../events/events.ts';
import { consumeAttempt } from '../limits/consume-attempt.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims, unauthenticated } from '../session/read.ts';
import { requireVerification } from './require-verification.ts';
import { startVerification } from './start-verification.ts';

/**
 * Sends the caller a new token, which voids the previous one. If the address is already verified, nothing is sent.
 *
 * @throws CodedError `UNAUTHENTICATED`; `RATE_LIMITED`
 */
export async function resendVerification(auth: AuthContext, request: RequestContext): Promise<void> {
  requireVerification(auth);
  const { sid, sub } = await requireClaims(auth, request.headers);
  await requireActive(auth, sid);
  await consumeAttempt(auth, { limit: 'resend', key: sub }, request);
  const started = await auth.stores.transaction(async (stores) => {
    const held = await stores.sessions.lockActive(sid);
    if (held === null) throw unauthenticated();
    return held.user.emailVerified
      ? null
      : startVerification(auth, stores, { user: held.user, newEmail: null }, request);
  });
  if (started === null) return;
  publishEvents(auth, started.events);
  started.sendMail();
}
