import type { OperationRule } from '../rule/operation-rule.ts';
import { holdsWhatever } from './judge.ts';
import type { Scope } from './scope.ts';

/** A field, and its rule of reading or of writing. */
export type FieldRule = readonly [name: string, rule: OperationRule];

/** Lists the fields whose rule some record may not satisfy: those that what the caller is does not open in all of them. */
export function findDoubtful(scope: Scope, rules: ReadonlyMap<string, OperationRule>): readonly FieldRule[] {
  if (rules.size === 0 || scope.actor.type === 'system') return none;
  return [...rules].filter(([, rule]) => !holdsWhatever(scope, rule));
}

const none: readonly FieldRule[] = [];
