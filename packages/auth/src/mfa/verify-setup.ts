import { CodedError } from '@x/errors';
import type { AuthContext } from '../auth-context.ts';
import { requireActive } from '../account/confirm-password.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims, unauthenticated } from '../session/get-session.ts';
import { createBackupCodes } from './backup-codes.ts';
import { codeInput, wrongCode, openSecret } from './code.ts';
import { requireMfa } from './require-mfa.ts';
import { findStep } from './totp.ts';

/** Codes that replace the authenticator app, each usable once. Shown once. Secret. */
export interface NewBackupCodes {
  readonly backupCodes: readonly string[];
}

/**
 * Turns the caller's second factor on with a first code of the authenticator app, which is consumed. It does not count
 * as a verified second factor of this session.
 *
 * @throws CodedError `UNAUTHENTICATED`, `VALIDATION_FAILED`; `MFA_NOT_ENABLED` if no setup is pending;
 * `MFA_INVALID_CODE`
 */
export async function verifySetup(auth: AuthContext, input: unknown, request: RequestContext): Promise<NewBackupCodes> {
  requireMfa(auth);
  const { sid } = await requireClaims(auth, request.headers);
  const { code } = await parseInput(codeInput, input);
  const { user } = await requireActive(auth, sid);
  const pending = await auth.stores.mfa.findPending(user.id);
  if (pending === null) throw noSetup();
  const step = findStep(openSecret(auth, pending), code.replace(/[ -]/g, ''), auth.stores.clock.now());
  if (step === null) throw wrongCode();
  const { codes, hashes } = createBackupCodes(user.id);
  const event = await auth.stores.transaction(async (stores) => {
    if ((await stores.sessions.lockActive(sid)) === null) throw unauthenticated();
    const factor = { secret: pending.secret, step, backupCodeHashes: hashes };
    if (!(await stores.mfa.enable(user.id, factor))) throw noSetup();
    const about = { userId: user.id, tenantId: user.tenantId, sessionId: sid };
    return recordEvent(stores, { ...about, type: 'mfa.enabled' }, request);
  });
  publishEvents(auth, [event]);
  return { backupCodes: codes };
}

function noSetup(): CodedError {
  return new CodedError('MFA_NOT_ENABLED', 'No set-up is waiting for a code.');
}
