import type { SessionId } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { recordEvent } from '../events/events.ts';
import { addressKey, consumeAttempt } from '../limits/limits.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type ChangedSession, reissueTokens, type SignedIn } from '../session/issue.ts';
import { requireActive, requireClaims, unauthenticated } from '../session/read.ts';
import { type CheckedCode, codeInput, evaluateCode, recordWrongCode, useCode, wrongCode } from './code.ts';
import { mfaNotEnabled, requireMfa } from './mfa.ts';

/**
 * Verifies the second factor again in the caller's session; its JWTs carry the time of this from then on.
 *
 * @throws CodedError `MFA_INVALID_CODE`, `MFA_NOT_ENABLED`, `RATE_LIMITED`
 */
export async function stepUp(auth: AuthContext, input: unknown, request: RequestContext): Promise<SignedIn> {
  requireMfa(auth);
  const { sid } = await requireClaims(auth, request.headers);
  const { code } = await parseInput(codeInput, input);
  const { session, user } = await requireActive(auth, sid);
  await consumeAttempt(auth, { limit: 'mfa_step_up', key: addressKey(request.ipAddress) }, request);
  const factor = await auth.stores.mfa.find(user.id);
  if (factor === null) throw mfaNotEnabled();
  const checked = await evaluateCode(auth, factor, code, request);
  if (checked) {
    const expected = { session: { ...session, secondFactorAt: auth.stores.clock.now() }, user };
    const issued = await reissueTokens(auth, expected, () => recordFactor(auth, { sid, code: checked }, request));
    if (issued) return issued;
  }
  await recordWrongCode(auth, { user, sessionId: sid }, request);
  throw wrongCode();
}

/** Uses the code and records the time; null if the code was used by another request meanwhile. */
function recordFactor(
  auth: AuthContext,
  { sid, code }: { readonly sid: SessionId; readonly code: CheckedCode },
  request: RequestContext,
): Promise<ChangedSession | null> {
  return auth.stores.transaction(async (stores) => {
    const locked = await stores.sessions.lockActive(sid);
    if (locked === null) throw unauthenticated();
    if (!(await useCode(auth, stores, code))) return null;
    const session = await stores.sessions.setSecondFactor(sid);
    if (session === null) throw unauthenticated();
    const about = { userId: locked.user.id, tenantId: session.tenantId, sessionId: sid };
    return {
      user: locked.user,
      session,
      events: [await recordEvent(stores, { ...about, type: 'mfa.verified' }, request)],
    };
  });
}
