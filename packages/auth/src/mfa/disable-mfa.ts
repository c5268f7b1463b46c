import { CodedError } from '@x/errors';
import { asOwner, proofInput } from './owner-proof.ts';
import type { AuthContext } from '../auth-context.ts';
import { recordEvent } from '../event/record-event.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims } from '../session/get-session.ts';
import { requireMfa } from './require-mfa.ts';

/**
 * Turns the caller's second factor off, and deletes the backup codes.
 *
 * @throws CodedError `UNAUTHENTICATED`, `VALIDATION_FAILED`, `RATE_LIMITED`; `INVALID_CREDENTIALS`; `MFA_NOT_ENABLED`
 */
export async function disableMfa(auth: AuthContext, input: unknown, request: RequestContext): Promise<void> {
  requireMfa(auth);
  const claims = await requireClaims(auth, request.headers);
  const proof = await parseInput(proofInput, input);
  await asOwner(auth, { claims, proof }, request, async (stores, { user, session }) => {
    if (!(await stores.mfa.remove(user.id))) throw mfaNotEnabled();
    const about = { userId: user.id, tenantId: user.tenantId, sessionId: session.id };
    return { outcome: undefined, events: [await recordEvent(stores, { ...about, type: 'mfa.disabled' }, request)] };
  });
}

/** Builds the error for an account without a second factor. */
export function mfaNotEnabled(): CodedError {
  return new CodedError('MFA_NOT_ENABLED', 'MFA is not on.');
}
