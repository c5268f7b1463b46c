import { CodedError } from '@x/errors';
import { findConditionallyVisible } from '../authorization/open-authorization.ts';
import type { Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';

/**
 * Removes from a conflict the fields that the caller may not see on every record: that a value is taken is all that
 * they learn. Any other error is returned unchanged.
 */
export function toVisibleConflict(call: Call, entity: Entity, error: unknown): unknown {
  if (!(error instanceof CodedError) || error.code !== 'CONFLICT' || !error.extras.issues) return error;
  const { issues, ...extras } = error.extras;
  const conditionallyVisible = findConditionallyVisible(call, entity);
  const isVisible = (name: string): boolean => entity.visibleFields.includes(name) && !conditionallyVisible.has(name);
  const shown = issues.filter(({ path: [name] }) => isVisible(String(name)));
  return new CodedError('CONFLICT', error.message, {
    ...extras,
    ...(shown.length > 0 && { issues: shown }),
    cause: error,
  });
}
