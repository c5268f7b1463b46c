import { evaluateRule, findMaxAge, type Predicate, type RuleVerdict, toWhere } from '@x/access';
import type { EntityRow, Where } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import type { Operation } from '../definition/operation.ts';
import type { OperationRule } from '../rule/operation-rule.ts';
import { denied, notExposed, unauthenticated } from './refusals.ts';
import type { Scope } from './scope.ts';

const always: Where = Object.freeze({ type: 'constant', value: true });
const never: Where = Object.freeze({ type: 'constant', value: false });

/** Rules of entities name neither entitlements nor roles on records; `defineEntity` sees to it. */
const holdsNothing = { entitled: () => never, holding: () => never };

/**
 * Admits the caller to an operation by what no record can change, and returns its rule; the system needs none.
 *
 * @throws CodedError `METHOD_NOT_ALLOWED`, `UNAUTHENTICATED`, `STEP_UP_REQUIRED`, `FORBIDDEN`
 */
export function admit({ actor, now }: Scope, entity: Entity, operation: Operation): OperationRule | null {
  if (actor.type === 'system') return null;
  const rule = entity.rules.get(operation);
  if (!rule) throw notExposed();
  if (actor.caller.userId === null && !rule.admitsAnonymous) throw unauthenticated();
  if (rule.callerPart === null) return rule;
  const verdict = evaluate(rule.callerPart, { caller: actor.caller, now, row: null });
  if (!verdict.allowed) throw denied(verdict.reasons, findMaxAge(rule.callerPart));
  return rule;
}

/** Builds the condition of the rows that a predicate gives the caller; everything is the system's. */
export function toCondition({ actor, now }: Scope, predicate: Predicate | undefined): Where {
  if (actor.type === 'system' || !predicate) return always;
  return toWhere(predicate, { caller: actor.caller, now, ...holdsNothing });
}

/** Decides in memory whether the caller may have a row, or make one. */
export function judge({ actor, now }: Scope, rule: OperationRule | null | undefined, row: EntityRow): RuleVerdict {
  if (actor.type === 'system' || !rule) return allowed;
  return evaluate(rule.predicate, { caller: actor.caller, now, row });
}

const allowed: RuleVerdict = { allowed: true, isRowRefused: false, reasons: [] };

function evaluate(
  predicate: Predicate,
  facts: Pick<Parameters<typeof evaluateRule>[1], 'caller' | 'now' | 'row'>,
): RuleVerdict {
  return evaluateRule(predicate, { ...facts, isEntitled: () => false, hasRole: () => false });
}

/** Joins conditions that have to hold together; the same one is asked once. */
export function allOf(...operands: readonly Where[]): Where {
  const distinct = [...new Set(operands)];
  const [only] = distinct;
  return only && distinct.length === 1 ? only : { type: 'and', operands: distinct };
}

/** Builds the condition of the rows that the caller may both read and do something with. */
export function toPermitted(
  scope: Scope,
  reading: OperationRule | undefined,
  rule: OperationRule | null,
): { readonly permitted: Where; readonly where: Where } {
  const permitted = toCondition(scope, rule?.predicate);
  return { permitted, where: reading === rule ? permitted : allOf(toCondition(scope, reading?.predicate), permitted) };
}
