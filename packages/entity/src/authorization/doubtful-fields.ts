import type { OperationRule } from './operation-rule.ts';
import { holdsWhatever } from './judge.ts';
import type { Scope } from '../operation/scope.ts';

/** A field, and its read or write rule. */
export type FieldRule = readonly [name: string, rule: OperationRule];

/**
 * Lists the fields whose rule may deny the caller on some record: those that the caller does not satisfy on every
 * record by who they are.
 */
export function findDoubtful(scope: Scope, rules: ReadonlyMap<string, OperationRule>): readonly FieldRule[] {
  if (rules.size === 0 || scope.actor.type === 'system') return none;
  return [...rules].filter(([, rule]) => !holdsWhatever(scope, rule));
}

const none: readonly FieldRule[] = [];
