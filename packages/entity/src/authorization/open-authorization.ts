import { unauthenticated } from '@x/errors';
import type { Resource } from '@x/store';
import { all } from '@x/store/where';
import type { Authorization, AuthorizationScope, ProtectedEntity, VisibleRow } from './authorization.ts';
import { CallerAuthorization } from './caller-authorization.ts';
import { denialError, notExposed } from './errors.ts';
import { evaluatePredicate, nothingGranted } from './evaluate.ts';
import { evaluateWithReasons, type FindTarget, readGrants } from './grants.ts';
import { nobody, type Operation, type OperationRule } from './operation-rule.ts';

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
  const { actor } = scope;
  if (actor.type === 'system') return unrestricted;
  const rule = entity.rules.get(operation);
  if (!rule) throw notExposed();
  authorizeCaller(scope, rule);
  const reading = operation === 'list' || operation === 'create' ? undefined : entity.rules.get('get');
  return new CallerAuthorization({ scope, caller: actor.caller, entity, rule, reading, isNew: operation === 'create' });
}

/**
 * Opens the authorization for an action on a record, once {@link authorizeCaller} has authorized the caller by its rule.
 */
export function openActionAuthorization(
  scope: AuthorizationScope,
  entity: ProtectedEntity,
  rule: OperationRule,
): Authorization {
  const { actor } = scope;
  if (actor.type === 'system') return unrestricted;
  const reading = entity.rules.get('get');
  return new CallerAuthorization({ scope, caller: actor.caller, entity, rule, reading, isNew: false });
}

/**
 * Opens what a caller may read of an entity, by one of its two reading rules; if only the other one is exposed, by
 * that. Of an entity that exposes neither, it is nothing.
 */
export function openReading(
  scope: AuthorizationScope,
  entity: ProtectedEntity,
  operation: 'get' | 'list',
): Authorization {
  const { actor } = scope;
  if (actor.type === 'system') return unrestricted;
  const other = operation === 'get' ? 'list' : 'get';
  const rule = entity.rules.get(operation) ?? entity.rules.get(other) ?? nobody;
  return new CallerAuthorization({ scope, caller: actor.caller, entity, rule, reading: rule, isNew: false });
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
  { actor, now, access }: AuthorizationScope,
  rule: OperationRule,
  resource: Resource | undefined,
): Promise<void> {
  if (actor.type === 'system' || rule.grants.length === 0) return;
  const findCheckedOn: FindTarget = ({ type }) =>
    type === 'resourceRole' && !resource ? null : { resource, row: undefined };
  const granted = await readGrants(access(), rule.grants, findCheckedOn);
  const facts = { caller: actor.caller, now, row: null, granted };
  const decision = await evaluateWithReasons(access, rule, { facts, findCheckedOn });
  if (!decision.allowed) throw denialError(decision);
}

/** The authorization of the system, which may do everything. */
const unrestricted: Authorization = Object.freeze<Authorization>({
  within: () => unrestricted,
  restrict: (where) => where,
  whereForLookup: () => all,
  whereForWrite: () => all,
  needsRecord: () => false,
  authorize: () => undefined,
  canRead: () => true,
  authorizeChanged: () => undefined,
  authorizeNew: async () => undefined,
  confirmNew: () => undefined,
  mayConsume: false,
  consume: async () => undefined,
  conditionallyVisible: new Set<string>(),
  // The system sees every field.
  visible: (row) => row as VisibleRow,
  visibleEach: (rows) => rows as readonly VisibleRow[],
  writable: (_row, _seen, values) => ({ values, rules: new Set<OperationRule>() }),
});
