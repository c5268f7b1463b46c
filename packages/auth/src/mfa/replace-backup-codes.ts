import { asOwner, proofInput } from './owner-proof.ts';
import type { AuthContext } from '../auth-context.ts';
import { recordEvent } from '../event/record-event.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims } from '../session/get-session.ts';
import { createBackupCodes } from './backup-codes.ts';
import { mfaNotEnabled } from './disable-mfa.ts';
import { requireMfa } from './require-mfa.ts';
import type { NewBackupCodes } from './verify-setup.ts';

/**
 * Gives the caller new backup codes, and voids the old ones.
 *
 * @throws CodedError `UNAUTHENTICATED`, `VALIDATION_FAILED`, `RATE_LIMITED`; `INVALID_CREDENTIALS`; `MFA_NOT_ENABLED`
 */
export async function replaceBackupCodes(
  auth: AuthContext,
  input: unknown,
  request: RequestContext,
): Promise<NewBackupCodes> {
  requireMfa(auth);
  const claims = await requireClaims(auth, request.headers);
  const proof = await parseInput(proofInput, input);
  return asOwner(auth, { claims, proof }, request, async (stores, { user, session }) => {
    const { codes, hashes } = createBackupCodes(user.id);
    if (!(await stores.mfa.replaceBackupCodes(user.id, hashes))) throw mfaNotEnabled();
    const about = { userId: user.id, tenantId: user.tenantId, sessionId: session.id };
    const event = await recordEvent(stores, { ...about, type: 'mfa.backup_codes_replaced' }, request);
    return { outcome: { backupCodes: codes }, events: [event] };
  });
}
