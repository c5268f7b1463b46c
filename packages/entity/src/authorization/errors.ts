import type { DenialReason } from '@x/access';
import { CodedError, unauthenticated } from '@x/errors';

/** Builds the error for an operation that the entity does not expose. */
export function notExposed(): CodedError {
  return new CodedError('METHOD_NOT_ALLOWED', 'This operation is not available.');
}

/** Builds the error for a record that would no longer satisfy the rule. */
export function outOfReach(): CodedError {
  return new CodedError('FORBIDDEN', 'You may not write this record.');
}

/** Builds the error for a record whose version has changed. */
export function preconditionFailed(): CodedError {
  return new CodedError('PRECONDITION_FAILED', 'The record has changed.');
}

/** Why a rule denies a caller. */
export interface RuleDenial {
  /** The most actionable first. */
  readonly reasons: readonly DenialReason[];
  /** What would change the denial. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Builds the error for a denial. */
export function denied({ reasons, meta }: RuleDenial): CodedError {
  const [reason] = reasons;
  if (reasons.includes('not_authenticated')) return unauthenticated();
  const isStepUp = reasons.length > 0 && reasons.every((each) => each === 'step_up_required');
  return new CodedError(isStepUp ? 'STEP_UP_REQUIRED' : 'FORBIDDEN', isStepUp ? stepUp : 'You may not do this.', {
    ...(reason && { reason, reasons }),
    ...(Object.keys(meta).length > 0 && { meta }),
  });
}

const stepUp = 'Give your second factor first.';
