import { type Predicate, toWhere } from '@x/access';
import { all, and, none, type Where } from '@x/store/where';
import type { Entity } from '../definition/entity.ts';
import { type Grant, type Operation, type OperationRule, toGrantKey, toRolesKey } from './operation-rule.ts';
import { columnOf, type ResourceColumn } from '../definition/resource-columns.ts';
import { judgeCaller } from './judge.ts';
import { denied, notExposed, unauthenticated } from './refusals.ts';
import type { Scope } from '../operation/scope.ts';

/**
 * Admits the caller to an operation, by the parts of its rule that depend on no record, and returns the rule; null for
 * the system, which needs none.
 *
 * @throws CodedError `METHOD_NOT_ALLOWED`, `UNAUTHENTICATED`, `STEP_UP_REQUIRED`, `FORBIDDEN`
 */
export function admit(scope: Scope, entity: Entity, operation: Operation): OperationRule | null {
  if (scope.actor.type === 'system') return null;
  const rule = entity.rules.get(operation);
  if (!rule) throw notExposed();
  return admitBy(scope, rule);
}

/**
 * Admits the caller by the parts of a rule that depend on no record, and returns the rule; null for the system, which
 * needs none.
 *
 * @throws CodedError `UNAUTHENTICATED`, `STEP_UP_REQUIRED`, `FORBIDDEN`
 */
export function admitBy(scope: Scope, rule: OperationRule): OperationRule | null {
  const { actor } = scope;
  if (actor.type === 'system') return null;
  if (actor.caller.userId === null && !rule.admitsAnonymous) throw unauthenticated();
  if (rule.callerPart === null) return rule;
  const verdict = judgeCaller(scope, rule.callerPart);
  if (!verdict.allowed) throw denied(verdict);
  return rule;
}

/** Builds the condition for the rows that a rule lets the caller list; for the system, all rows. */
export async function toListCondition(scope: Scope, entity: Entity, rule: OperationRule | undefined): Promise<Where> {
  if (scope.actor.type === 'system' || !rule) return all;
  if (rule.grants.length === 0 || scope.actor.caller.userId === null) return bind(scope, rule.predicate, nothing);
  const held = rule.grants.map(async (grant) => [toGrantKey(grant), await toHeld(scope, entity, grant)] as const);
  return bind(scope, rule.predicate, new Map(await Promise.all(held)));
}

/**
 * Builds the condition for one row that a predicate allows the caller. Of entitlements it includes what roles decide;
 * the rest is left to {@link needsJudge}.
 */
export function toRowCondition(
  scope: Scope,
  entity: Entity,
  rule: OperationRule | null | undefined,
  part: (rule: OperationRule) => Predicate,
): Where {
  if (scope.actor.type === 'system' || !rule) return all;
  if (rule.grants.length === 0 || scope.actor.caller.userId === null) return bind(scope, part(rule), nothing);
  const held = rule.grants.map((grant) => [toGrantKey(grant), toRolePart(scope, entity, grant).where] as const);
  return bind(scope, part(rule), new Map(held));
}

/** Says whether a row that satisfies the condition may still be denied. */
export function needsJudge(scope: Scope, entity: Entity, rule: OperationRule | null | undefined): boolean {
  if (scope.actor.type === 'system' || !rule) return false;
  return rule.isDecidedInMemory || rule.grants.some((grant) => !toRolePart(scope, entity, grant).isWhole);
}

/** Says whether there is more to decide than the condition that {@link toPermitted} builds. */
export function isJudged(scope: Scope, entity: Entity, rule: OperationRule | null): boolean {
  return needsJudge(scope, entity, rule) || needsJudge(scope, entity, entity.rules.get('get'));
}

type Held = ReadonlyMap<string, Where>;

const nothing: Held = new Map();

function bind({ actor, now }: Scope, predicate: Predicate, held: Held): Where {
  if (actor.type === 'system') return all;
  return toWhere(predicate, {
    caller: actor.caller,
    now,
    whereEntitled: (entitlement) => held.get(entitlement) ?? none,
    whereRole: (roles) => held.get(toRolesKey(roles)) ?? none,
  });
}

async function toHeld(scope: Scope, entity: Entity, grant: Grant): Promise<Where> {
  const place = placeOf(scope, entity, grant);
  if (place === undefined) return none;
  if (grant.type === 'resourceRole') return toRolePart(scope, entity, grant).where;
  if (place === null) return (await scope.access().can(grant.entitlement)) ? all : none;
  return scope.access().filter(grant.entitlement, place.type, place.column);
}

function toRolePart(scope: Scope, entity: Entity, grant: Grant): { readonly where: Where; readonly isWhole: boolean } {
  const place = placeOf(scope, entity, grant);
  if (place === undefined) return { where: none, isWhole: true };
  if (place === null) return { where: all, isWhole: false };
  const { type, column } = place;
  if (grant.type === 'entitlement') return scope.access().filterByRole(grant.entitlement, type, column);
  return { where: scope.access().filterByRoles(grant.roles, type, column), isWhole: true };
}

function placeOf({ context }: Scope, entity: Entity, grant: Grant): ResourceColumn | null | undefined {
  return columnOf(entity, context.grantColumns.get(entity.name), { grant, isNew: false });
}

/** Builds the condition for the rows that the caller may both read and act on. */
export function toPermitted(
  scope: Scope,
  entity: Entity,
  rule: OperationRule | null,
): { readonly permitted: Where; readonly where: Where } {
  const reading = entity.rules.get('get');
  const permitted = toWholeCondition(scope, entity, rule);
  if (reading === rule) return { permitted, where: permitted };
  return { permitted, where: and(toWholeCondition(scope, entity, reading), permitted) };
}

/** Builds the condition for one row from the whole of a rule. */
export function toWholeCondition(scope: Scope, entity: Entity, rule: OperationRule | null | undefined): Where {
  return toRowCondition(scope, entity, rule, whole);
}

const whole = ({ predicate }: OperationRule): Predicate => predicate;
