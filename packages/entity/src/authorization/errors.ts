import type { AccessMeta, DenialReason } from '@x/access';
import { toDenialCode } from '@x/access/rule';
import { CodedError, unauthenticated } from '@x/errors';

/** Builds the error for an operation that the entity does not expose. */
export function notExposed(): CodedError {
  return new CodedError('METHOD_NOT_ALLOWED', 'This operation is not available.');
}

/** Builds the error for a record that would no longer satisfy the rule. */
export function recordNotWritable(): CodedError {
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
  /** Hints how the caller could get an allowance. */
  readonly meta: AccessMeta;
}

/** Builds the error for a denial. */
export function denialError({ reasons, meta }: RuleDenial): CodedError {
  const code = toDenialCode(reasons);
  if (code === 'UNAUTHENTICATED') return unauthenticated();
  const [reason] = reasons;
  return new CodedError(code, code === 'STEP_UP_REQUIRED' ? 'Give your second factor first.' : 'You may not do this.', {
    ...(reason && { reason, reasons }),
    ...(Object.keys(meta).length > 0 && { meta: { ...meta } }),
  });
}
