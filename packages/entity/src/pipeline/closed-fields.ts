import type { Entity } from '../definition/entity.ts';
import { holdsWhatever } from './judge.ts';
import type { Scope } from './scope.ts';

/**
 * Lists the fields that a caller's queries can ask nothing of: those that some record may not show them. An order or a
 * filter by such a field would tell what it holds.
 */
export function findClosedFields(scope: Scope, { fieldRules }: Entity): ReadonlySet<string> {
  if (fieldRules.read.size === 0 || scope.actor.type === 'system') return none;
  const closed = [...fieldRules.read].filter(([, rule]) => !holdsWhatever(scope, rule));
  return new Set(closed.map(([name]) => name));
}

const none: ReadonlySet<string> = new Set();
