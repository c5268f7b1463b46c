import type { AuthContext } from '../auth-context.ts';
import { requireActive } from '../account/confirm-password.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims } from '../session/get-session.ts';
import { requireMfa } from './require-mfa.ts';

/** Whether a user has a second factor. */
export interface MfaStatus {
  readonly enabled: boolean;
  /** 0 if it is off. */
  readonly backupCodesRemaining: number;
}

/**
 * Tells the caller whether their second factor is on.
 *
 * @throws CodedError `UNAUTHENTICATED`
 */
export async function getMfaStatus(auth: AuthContext, { headers }: RequestContext): Promise<MfaStatus> {
  requireMfa(auth);
  const { sid } = await requireClaims(auth, headers);
  const { user } = await requireActive(auth, sid);
  const factor = await auth.stores.mfa.find(user.id);
  return { enabled: factor !== null, backupCodesRemaining: factor?.backupCodesRemaining ?? 0 };
}
