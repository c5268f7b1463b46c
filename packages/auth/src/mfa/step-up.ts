import { unauthenticated } from '@x/errors';
import type { SessionId, SessionWithUser } from '@x/store';
import { aboutSession, loggedTransaction } from '../events/events.ts';
import { consumeAttempt, refundUnlessWrong } from '../rate-limits/rate-limits.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { reissueAccessToken, type SignedIn } from '../session/issue.ts';
import { requireRefreshToken } from '../session/require-refresh-token.ts';
import { codeInput, refuseCode, type UseCode, withCode } from './code.ts';
import { type MfaDependencies, mfaNotEnabled, requireMfa } from './mfa.ts';

/**
 * Verifies the second factor again in the caller's session; its JWTs carry the time of this from then on.
 *
 * @throws CodedError `SESSION_EXPIRED`, `MFA_INVALID_CODE`, `MFA_NOT_ENABLED`, `RATE_LIMITED`
 */
export async function stepUp(deps: MfaDependencies, input: unknown, request: RequestContext): Promise<SignedIn> {
  requireMfa(deps);
  const { session, user } = await requireRefreshToken(deps.sessions, request);
  const { code } = parseInput(codeInput, input);
  const counted = await consumeAttempt(
    deps.limits,
    { limit: 'mfaStepUp', user: user.id, session: session.id },
    request,
  );
  const factor = await deps.stores.mfa.find(user.id);
  if (factor === null) throw mfaNotEnabled();
  const issued = await refundUnlessWrong(deps.limits, counted, () =>
    withCode(deps, { factor, code }, request, (useCode) => {
      const expected = { session: { ...session, secondFactorAt: deps.stores.clock.now() }, user };
      return reissueAccessToken(deps.sessions, expected, () =>
        recordFactor(deps, { sid: session.id, useCode }, request),
      );
    }),
  );
  if (issued !== null) return issued;
  throw await refuseCode(deps, { about: aboutSession({ session, user }), code }, request);
}

/** Uses the code and records the time; null if the code was used by another request meanwhile. */
function recordFactor(
  deps: MfaDependencies,
  { sid, useCode }: { readonly sid: SessionId; readonly useCode: UseCode },
  request: RequestContext,
): Promise<SessionWithUser | null> {
  return loggedTransaction(deps, request, async (stores, log) => {
    const locked = await stores.sessions.lockActive(sid);
    if (locked === null) throw unauthenticated();
    if (!(await useCode(stores))) return null;
    const session = await stores.sessions.setSecondFactor(sid, log.cause());
    if (session === null) throw unauthenticated();
    return { user: locked.user, session };
  });
}
