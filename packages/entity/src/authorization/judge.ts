import { type AccessCheck, evaluateRule, findMaxAge, type Predicate, type RuleDecision } from '@x/access';
import type { EntityRow, Resource } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { type Grant, type OperationRule, toGrantKey, toRolesKey } from './operation-rule.ts';
import { columnOf } from '../definition/resource-columns.ts';
import type { RuleDenial } from './refusals.ts';
import type { Scope } from '../operation/scope.ts';

/** The outcome of a rule, and what would change it. */
export interface Verdict extends RuleDenial, Omit<RuleDecision, 'reasons'> {}

/** What a rule is judged on: a record, a new record, or a resource that the caller named. */
export type Subject = RowSubject | { readonly resource: Resource };

/** A record that a rule is judged on. */
export interface RowSubject {
  readonly entity: Entity;
  readonly row: EntityRow;
  /** Whether it does not exist yet. */
  readonly isNew?: boolean;
}

/** Decides in memory whether the caller may read or write a row. */
export async function judge(
  scope: Scope,
  rule: OperationRule | null | undefined,
  subject: Subject | null,
): Promise<Verdict> {
  if (scope.actor.type === 'system' || !rule) return allowed;
  const granted = rule.grants.length === 0 ? nothingGranted : await askGrants(scope, rule.grants, subject);
  return judgeWith(scope, rule, { subject, granted });
}

/** Which grants are held, by their keys. */
export type Granted = ReadonlyMap<string, boolean>;

/** Decides in memory with known grants. Only a denial is examined further. */
export async function judgeWith(
  scope: Scope,
  { predicate, grants }: OperationRule,
  { subject, granted }: { readonly subject: Subject | null; readonly granted: Granted },
): Promise<Verdict> {
  const row = subject && 'row' in subject ? subject.row : null;
  const verdict = evaluate(scope, predicate, { row, granted });
  if (verdict.allowed || scope.actor.caller.userId === null)
    return { ...verdict, meta: toMeta(verdict, predicate, []) };
  const missing = grants.filter((grant) => grant.type === 'entitlement' && !granted.get(toGrantKey(grant)));
  const checks = new Map(
    await Promise.all(missing.map(async (grant) => [toGrantKey(grant), await check(scope, grant, subject)] as const)),
  );
  const explained = evaluate(scope, predicate, { row, granted, checks });
  return { ...explained, meta: toMeta(explained, predicate, [...checks.values()]) };
}

/** Says in memory whether a rule holds with these grants. */
export function holdsWith(
  scope: Scope,
  { predicate }: OperationRule,
  { subject, granted }: { readonly subject: Subject; readonly granted: Granted },
): boolean {
  return evaluate(scope, predicate, { row: 'row' in subject ? subject.row : null, granted }).allowed;
}

/** Says whether a rule holds for the caller on every record. */
export function holdsWhatever(scope: Scope, { predicate }: OperationRule): boolean {
  return evaluate(scope, predicate, { row: null, granted: nothingGranted }).allowed;
}

/** Decides the parts that depend on no row. */
export function judgeCaller(scope: Scope, predicate: Predicate): Verdict {
  const verdict = evaluate(scope, predicate, { row: null, granted: nothingGranted });
  return { ...verdict, meta: toMeta(verdict, predicate, []) };
}

const allowed: Verdict = { allowed: true, isRowRefused: false, reasons: [], meta: {} };

/** No grants at all. */
export const nothingGranted: Granted = new Map();

interface Facts {
  readonly row: EntityRow | null;
  readonly granted: Granted;
  readonly checks?: ReadonlyMap<string, AccessCheck>;
}

function evaluate({ actor, now }: Scope, predicate: Predicate, { row, granted, checks }: Facts): RuleDecision {
  if (actor.type === 'system') return allowed;
  return evaluateRule(predicate, {
    caller: actor.caller,
    now,
    row,
    isEntitled: (entitlement) => granted.get(entitlement) ?? false,
    hasRole: (roles) => granted.get(toRolesKey(roles)) ?? false,
    reasonsOf: (entitlement) => checks?.get(entitlement)?.reasons ?? ['role_required'],
  });
}

function toMeta({ reasons }: RuleDecision, predicate: Predicate, checks: readonly AccessCheck[]): Verdict['meta'] {
  const maxAge = reasons.includes('step_up_required') ? findMaxAge(predicate) : undefined;
  return Object.assign({}, maxAge === undefined ? {} : { maxAge }, ...checks.map(({ meta }) => meta));
}

/** Checks all grants at once. */
export async function askGrants(scope: Scope, grants: readonly Grant[], subject: Subject | null): Promise<Granted> {
  const held = grants.map(async (grant) => [toGrantKey(grant), await holds(scope, grant, subject)] as const);
  return new Map(await Promise.all(held));
}

function holds(scope: Scope, grant: Grant, subject: Subject | null): boolean | Promise<boolean> {
  const asked = toAsked(scope, grant, subject);
  if (!asked) return false;
  if (grant.type === 'resourceRole')
    return asked.resource ? scope.access().hasRole(grant.roles, asked.resource) : false;
  return scope.access().can(grant.entitlement, asked.resource, asked.row);
}

async function check(scope: Scope, grant: Grant, subject: Subject | null): Promise<AccessCheck> {
  const asked = toAsked(scope, grant, subject);
  if (!asked || grant.type !== 'entitlement') return { allowed: false, reasons: ['role_required'] };
  return scope.access().check(grant.entitlement, asked.resource, asked.row);
}

/** What an entitlement is checked on. */
export interface Asked {
  /** Undefined for the caller's current tenant. */
  readonly resource: Resource | undefined;
  /** The record, if it is the resource itself. */
  readonly row: EntityRow | undefined;
}

/** Finds what a grant is checked on; null if there is nothing. */
export function toAsked({ context }: Scope, grant: Grant, subject: Subject | null): Asked | null {
  if (!subject) return grant.type === 'entitlement' ? { resource: undefined, row: undefined } : null;
  if ('resource' in subject) return { resource: subject.resource, row: undefined };
  const { entity, row, isNew = false } = subject;
  const place = columnOf(entity, context.grantColumns.get(entity.name), { grant, isNew });
  if (place === undefined) return null;
  if (place === null) return { resource: undefined, row: undefined };
  const id = row[place.column];
  if (typeof id !== 'string') return null;
  return { resource: { type: place.type, id }, row: place.column === 'id' ? row : undefined };
}
