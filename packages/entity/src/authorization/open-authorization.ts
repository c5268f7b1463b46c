import { unauthenticated } from '@x/errors';
import type { Resource } from '@x/store';
import { all } from '@x/store/where';
import {
  type Authorization,
  type AuthorizationScope,
  markVisible,
  type NewRecordPermit,
  type Operation,
  type ProtectedEntity,
} from './authorization.ts';
import { CallerAuthorization, type CallerRules } from './caller-authorization.ts';
import { denialError, notExposed } from './errors.ts';
import { type OperationRule, ruleForNobody } from './operation-rule.ts';
import { evaluatePredicate, evaluateWithoutRecord, nothingGranted } from './rule-evaluator.ts';

/**
 * Authorizes the caller for an operation, by the parts of its rule that depend on no record.
 *
 * @throws CodedError `METHOD_NOT_ALLOWED`, `UNAUTHENTICATED`, `STEP_UP_REQUIRED`, `FORBIDDEN`
 */
export function openAuthorization(
  scope: AuthorizationScope,
  entity: ProtectedEntity,
  operation: Operation,
): Authorization {
  if (scope.actor.type === 'system') return unrestricted;
  const rule = entity.rules.get(operation);
  if (!rule) throw notExposed();
  authorizeCaller(scope, rule);
  const isOfOneRecord = operation !== 'list' && operation !== 'create';
  return open(scope, entity, {
    rule,
    reading: isOfOneRecord ? entity.rules.get('get') : undefined,
    isNew: operation === 'create',
  });
}

/**
 * Opens the authorization for an action on a record, once {@link authorizeCaller} has authorized the caller by its rule.
 */
export function openActionAuthorization(
  scope: AuthorizationScope,
  entity: ProtectedEntity,
  rule: OperationRule,
): Authorization {
  return open(scope, entity, { rule, reading: entity.rules.get('get'), isNew: false });
}

/**
 * Opens what a caller may read of an entity, by one of its two reading rules; if only the other one is exposed, by
 * that. Of an entity that exposes neither, it is nothing.
 */
export function authorizeRead(
  scope: AuthorizationScope,
  entity: ProtectedEntity,
  operation: 'get' | 'list',
): Authorization {
  const other = operation === 'get' ? 'list' : 'get';
  const rule = entity.rules.get(operation) ?? entity.rules.get(other) ?? ruleForNobody;
  return open(scope, entity, { rule, reading: rule, isNew: false });
}

function open(
  scope: AuthorizationScope,
  entity: ProtectedEntity,
  rules: Pick<CallerRules, 'rule' | 'reading' | 'isNew'>,
): Authorization {
  const { actor } = scope;
  return actor.type === 'system'
    ? unrestricted
    : new CallerAuthorization({ scope, caller: actor.caller, entity, ...rules });
}

/**
 * Authorizes the caller by the parts of a rule that depend on no record.
 *
 * @throws CodedError `UNAUTHENTICATED`, `STEP_UP_REQUIRED`, `FORBIDDEN`
 */
export function authorizeCaller({ actor, now }: AuthorizationScope, rule: OperationRule): void {
  if (actor.type === 'system') return;
  const { caller } = actor;
  if (caller.userId === null && !rule.allowsAnonymous) throw unauthenticated();
  if (rule.callerPart === null) return;
  const decision = evaluatePredicate(rule.callerPart, { caller, now, row: null, granted: nothingGranted });
  if (!decision.allowed) throw denialError(decision);
}

/**
 * Authorizes the caller by a rule whose entitlements are checked on one resource instead of a record.
 *
 * @param resource - undefined for the caller's current tenant, on which nobody has a role
 * @throws CodedError `UNAUTHENTICATED`, `STEP_UP_REQUIRED`, `FORBIDDEN`
 */
export async function authorizeOn(
  scope: AuthorizationScope,
  rule: OperationRule,
  resource: Resource | undefined,
): Promise<void> {
  if (scope.actor.type === 'system' || rule.requirements.length === 0) return;
  const decision = await evaluateWithoutRecord(scope, rule, {
    caller: scope.actor.caller,
    findTarget: ({ type }) => (type === 'resourceRole' && !resource ? null : { resource, row: undefined }),
  });
  if (!decision.allowed) throw denialError(decision);
}

/** The authorization of the system, which may do everything. */
const unrestricted: Authorization = Object.freeze<Authorization>({
  within: () => unrestricted,
  restrict: async (where) => where,
  whereForLookup: () => all,
  whereForWrite: () => all,
  needsRecord: () => false,
  authorize: async () => undefined,
  canRead: async () => true,
  canReadWritten: async (rows) => rows.map(() => true),
  authorizeChanged: async () => undefined,
  mayConsume: false,
  authorizeNew: async () => freePermit,
  conditionallyVisible: new Set<string>(),
  // The system sees every field.
  visible: async (row) => markVisible(row),
  visibleEach: async (rows) => rows.map(markVisible),
  writable: async (_row, _seen, values) => ({ values, rules: new Set<OperationRule>() }),
});

/** The permit of the system, which consumes nothing. */
const freePermit: NewRecordPermit = Object.freeze<NewRecordPermit>({
  confirm: () => undefined,
  consume: async () => undefined,
});
