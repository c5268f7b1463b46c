import { recordEvent } from '../events/events.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims } from '../session/caller.ts';
import { createBackupCodes } from './backup-codes.ts';
import { type MfaDependencies, mfaNotEnabled, requireMfa } from './mfa.ts';
import { proofInput, withReauthentication } from './reauthentication.ts';
import type { NewBackupCodes } from './setup.ts';

/**
 * Turns the caller's second factor off, and deletes the backup codes.
 *
 * @throws CodedError `MFA_NOT_ENABLED`; whatever {@link withReauthentication} throws
 */
export async function disableMfa(deps: MfaDependencies, input: unknown, request: RequestContext): Promise<void> {
  requireMfa(deps);
  const claims = await requireClaims(deps.sessions, request.headers);
  const proof = await parseInput(proofInput, input);
  await withReauthentication(deps, { claims, proof }, request, async (stores, { user, session }) => {
    if (!(await stores.mfa.remove(user.id))) throw mfaNotEnabled();
    const about = { userId: user.id, tenantId: user.tenantId, sessionId: session.id };
    return { outcome: undefined, events: [await recordEvent(stores, { ...about, type: 'mfa.disabled' }, request)] };
  });
}

/**
 * Gives the caller new backup codes, and voids the old ones.
 *
 * @throws CodedError `MFA_NOT_ENABLED`; whatever {@link withReauthentication} throws
 */
export async function replaceBackupCodes(
  deps: MfaDependencies,
  input: unknown,
  request: RequestContext,
): Promise<NewBackupCodes> {
  requireMfa(deps);
  const claims = await requireClaims(deps.sessions, request.headers);
  const proof = await parseInput(proofInput, input);
  return withReauthentication(deps, { claims, proof }, request, async (stores, { user, session }) => {
    const { codes, hashes } = createBackupCodes(user.id);
    if (!(await stores.mfa.replaceBackupCodes(user.id, hashes))) throw mfaNotEnabled();
    const about = { userId: user.id, tenantId: user.tenantId, sessionId: session.id };
    const event = await recordEvent(stores, { ...about, type: 'mfa.backup_codes_replaced' }, request);
    return { outcome: { backupCodes: codes }, events: [event] };
  });
}
