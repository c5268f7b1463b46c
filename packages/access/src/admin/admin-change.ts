import { CodedError, type Issue } from '@x/errors';
import { type Cause, isStorableText } from '@x/store';

/** The operator of a change, for the log. */
export interface Operator extends Cause {
  /** Null for the app itself. */
  readonly by: string | null;
  /** The tenant in whose log the change is recorded; null for none. */
  readonly tenantId: string | null;
}

/** Builds the error for a name that the definition does not define, or a change that it does not allow. */
export function invalid(message: string, issues: readonly Issue[] = []): CodedError {
  return new CodedError('VALIDATION_FAILED', message, issues.length > 0 ? { issues } : {});
}

/** @throws CodedError `VALIDATION_FAILED` for an id that no store can contain */
export function assertStorable(...ids: readonly string[]): void {
  if (!ids.every(isStorableText)) throw invalid('An id contains a character that is not allowed.');
}
