import { CodedError } from '@x/errors';
import type { AccessCheck, DenialReason } from './access-check.ts';

/**
 * Represents a denied entitlement. The message contains nothing but its name.
 *
 * @example
 * ```ts
 * const error = await access.authorize('project:update', project).catch((thrown: unknown) => thrown);
 * if (error instanceof AuthorizationError) console.log(error.extras.reasons); // ['role_required']
 * ```
 */
export class AuthorizationError extends CodedError {
  override readonly name = 'AuthorizationError';
  readonly entitlement: string;
  /** Undefined if the caller is not signed in. */
  readonly userId: string | undefined;

  constructor(entitlement: string, userId: string | undefined, { reasons, reason, meta }: AccessCheck) {
    super(toDenialCode(reasons), `Not authorized: ${entitlement}`, {
      reasons,
      ...(reason && { reason }),
      ...(meta && { meta: { ...meta } }),
    });
    this.entitlement = entitlement;
    this.userId = userId;
  }
}

/** Returns the error code of a denial: the caller can sign in, step up, or do nothing at once. */
export function toDenialCode(reasons: readonly DenialReason[]): 'UNAUTHENTICATED' | 'STEP_UP_REQUIRED' | 'FORBIDDEN' {
  if (reasons.includes('not_authenticated')) return 'UNAUTHENTICATED';
  return reasons.length > 0 && reasons.every((reason) => reason === 'step_up_required')
    ? 'STEP_UP_REQUIRED'
    : 'FORBIDDEN';
}
