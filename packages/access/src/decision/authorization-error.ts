import { CodedError } from '@x/errors';
import type { AccessCheck } from './access-check.ts';

/** Represents an entitlement that was asked for and is not held. Its message carries nothing but the entitlement. */
export class AuthorizationError extends CodedError {
  override readonly name = 'AuthorizationError';
  readonly entitlement: string;
  /** Undefined for a caller who is not signed in. */
  readonly userId: string | undefined;

  constructor(entitlement: string, userId: string | undefined, { reasons, reason, meta }: AccessCheck) {
    super(toCode(reasons), `Not authorized: ${entitlement}`, {
      reasons,
      ...(reason && { reason }),
      ...(meta && { meta: { ...meta } }),
    });
    this.entitlement = entitlement;
    this.userId = userId;
  }
}

/** The status is that of what the caller can do about it: sign in, give a second factor, or nothing. */
function toCode(reasons: AccessCheck['reasons']): 'UNAUTHENTICATED' | 'STEP_UP_REQUIRED' | 'FORBIDDEN' {
  if (reasons.includes('not_authenticated')) return 'UNAUTHENTICATED';
  return reasons.length > 0 && reasons.every((reason) => reason === 'step_up_required')
    ? 'STEP_UP_REQUIRED'
    : 'FORBIDDEN';
}
