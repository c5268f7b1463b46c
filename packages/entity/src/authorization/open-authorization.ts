import { unauthenticated } from '@x/errors';
import type { EntityRow, EntityValues, Resource } from '@x/store';
import { all } from '@x/store/where';
import {
  type Authorization,
  type AuthorizationCall,
  type CompoundOperation,
  type CreateAuthorization,
  isRowList,
  markVisible,
  type NewRecordPermit,
  type Operation,
  type ProtectedEntity,
  type VisibleRow,
  type WritableChange,
} from './authorization.ts';
import { CallerAuthorization, type CallerRules } from './caller-authorization.ts';
import { denialError, notExposed } from './errors.ts';
import { FieldAuthorization } from './field-authorization.ts';
import { type MovedRecord, NewRecordAuthorization } from './new-record-authorization.ts';
import { type OperationRule, ruleForNobody } from './operation-rule.ts';
import { parentResourceOf } from './resource-columns.ts';
import { evaluatePredicate, evaluateWithoutRecord, nothingGranted, RuleEvaluator } from './rule-evaluator.ts';

/**
 * Authorizes the caller for an operation on stored records, by the parts of its rule that depend on none.
 *
 * @throws CodedError as {@link authorizeOperation}
 */
export function openAuthorization(
  call: AuthorizationCall,
  entity: ProtectedEntity,
  operation: Exclude<Operation, 'create' | CompoundOperation>,
): Authorization {
  authorizeOperation(call, entity, operation);
  const { rules } = entity;
  return open(call, entity, {
    rule: rules.get(operation) ?? ruleForNobody,
    reading: operation === 'list' ? undefined : rules.get('get'),
  });
}

/**
 * Authorizes the caller to create records, by the parts of the rule that depend on none.
 *
 * @param moved - a stored record that moves to where it would be created. Default: records are new
 * @throws CodedError as {@link authorizeOperation}
 */
export function openCreateAuthorization(
  call: AuthorizationCall,
  entity: ProtectedEntity,
  moved: MovedRecord | null = null,
): CreateAuthorization {
  authorizeOperation(call, entity, 'create');
  const { actor } = call;
  if (actor.type === 'system') return unrestrictedCreate;
  const rule = entity.rules.get('create') ?? ruleForNobody;
  return new NewRecordAuthorization({ call, caller: actor.caller, entity, rule }, moved);
}

/**
 * Authorizes the caller to put a stored record where it would be created, by the parts of the rule of creating that
 * depend on none.
 *
 * @param row - the record before the move
 * @throws CodedError as {@link authorizeOperation}
 */
export async function openMoveAuthorization(
  call: AuthorizationCall,
  entity: ProtectedEntity,
  { row, to }: { readonly row: EntityRow; readonly to: EntityRow },
): Promise<CreateAuthorization> {
  if (call.actor.type === 'system') return unrestrictedCreate;
  const columns = call.context.resourceColumns.get(entity.name);
  const tenantOf = async (place: EntityRow): Promise<string | null> => {
    const above = parentResourceOf(columns, place);
    return above && call.access().records.tenantOf(above);
  };
  return openCreateAuthorization(call, entity, { row, staysInTenant: (await tenantOf(row)) === (await tenantOf(to)) });
}

/**
 * Opens the authorization for an action on a record, once {@link authorizeCaller} has authorized the caller by its
 * rule.
 */
export function openActionAuthorization(
  call: AuthorizationCall,
  entity: ProtectedEntity,
  rule: OperationRule,
): Authorization {
  return open(call, entity, { rule, reading: entity.rules.get('get') });
}

/**
 * Opens what a caller may read of an entity, by one of its two reading rules; if only the other one is exposed, by
 * that. Of an entity that exposes neither, it is nothing.
 */
export function openRead(call: AuthorizationCall, entity: ProtectedEntity, operation: 'get' | 'list'): Authorization {
  const rule = readingRuleOf(entity, operation);
  return open(call, entity, { rule, reading: rule });
}

function readingRuleOf({ rules }: ProtectedEntity, operation: 'get' | 'list'): OperationRule {
  const other = operation === 'get' ? 'list' : 'get';
  return rules.get(operation) ?? rules.get(other) ?? ruleForNobody;
}

function open(
  call: AuthorizationCall,
  entity: ProtectedEntity,
  rules: Pick<CallerRules, 'rule' | 'reading'>,
): Authorization {
  const { actor } = call;
  return actor.type === 'system'
    ? unrestricted
    : new CallerAuthorization({ call, caller: actor.caller, entity, ...rules });
}

/**
 * Authorizes the caller for an operation, by the parts of its rule that depend on no record.
 *
 * @throws CodedError `METHOD_NOT_ALLOWED`, `UNAUTHENTICATED`, `STEP_UP_REQUIRED`, `FORBIDDEN`
 */
export function authorizeOperation(call: AuthorizationCall, entity: ProtectedEntity, operation: Operation): void {
  if (call.actor.type === 'system') return;
  const rule = entity.rules.get(operation);
  if (!rule) throw notExposed();
  authorizeCaller(call, rule);
}

/**
 * Authorizes the caller by the parts of a rule that depend on no record.
 *
 * @throws CodedError `UNAUTHENTICATED`, `STEP_UP_REQUIRED`, `FORBIDDEN`
 */
export function authorizeCaller({ actor, now }: AuthorizationCall, rule: OperationRule): void {
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
 * @param resource - undefined for the caller's current tenant, on which no user has a role
 * @throws CodedError `UNAUTHENTICATED`, `STEP_UP_REQUIRED`, `FORBIDDEN`
 */
export async function authorizeOn(
  call: AuthorizationCall,
  rule: OperationRule,
  resource: Resource | undefined,
): Promise<void> {
  if (call.actor.type === 'system' || rule.requirements.length === 0) return;
  const decision = await evaluateWithoutRecord(call, rule, {
    caller: call.actor.caller,
    findTarget: ({ type }) => (type === 'resourceRole' && !resource ? null : { resource, row: undefined }),
  });
  if (!decision.allowed) throw denialError(decision);
}

/** Finds the fields that are hidden from the caller on some record: queries can't refer to them. */
export function findConditionallyVisible(call: AuthorizationCall, entity: ProtectedEntity): ReadonlySet<string> {
  const { actor } = call;
  if (actor.type === 'system' || entity.fieldRules.read.size === 0) return noFields;
  const context = { call, caller: actor.caller, entity };
  return new FieldAuthorization(context, new RuleEvaluator(context, 'stored')).conditionallyVisible;
}

const noFields: ReadonlySet<string> = new Set();

/**
 * Says of records that were just written whether the caller may read them as they are now, in as many store calls as
 * for one. A record that was changed could be read before, and so could the records that it refers to now.
 */
export async function findReadable(
  call: AuthorizationCall,
  entity: ProtectedEntity,
  { rows, written }: { readonly rows: readonly EntityRow[]; readonly written: 'created' | 'changed' },
): Promise<readonly boolean[]> {
  const { actor } = call;
  const rule = readingRuleOf(entity, 'get');
  if (actor.type === 'system' || (written === 'changed' && !rule.hasConditions)) return rows.map(() => true);
  const evaluator = new RuleEvaluator({ call, caller: actor.caller, entity }, 'stored');
  const granted = await evaluator.readGrantedOnEach(rows, rule.requirements);
  return rows.map((row, at) => evaluator.satisfiesWith(rule, row, granted[at] ?? nothingGranted));
}

/** The authorization of the system, which may do everything. */
const unrestricted: Authorization = Object.freeze<Authorization>({
  findAuthorized: (find) => find(all),
  restrict: async (where) => where,
  visible: showAll,
  writable: (values = {}) => ({ where: all, needsRecord: false, on: async () => toFreeChange(values) }),
});

/** The system sees every field. */
function showAll(row: EntityRow): Promise<VisibleRow>;
function showAll(rows: readonly EntityRow[]): Promise<readonly VisibleRow[]>;
async function showAll(given: EntityRow | readonly EntityRow[]): Promise<VisibleRow | readonly VisibleRow[]> {
  return isRowList(given) ? given.map(markVisible) : markVisible(given);
}

function toFreeChange(values: EntityValues): WritableChange {
  return { values, where: all, confirm: async (confirmed) => toFreeChange(confirmed) };
}

const unrestrictedCreate: CreateAuthorization = Object.freeze<CreateAuthorization>({
  mayConsume: false,
  authorize: async () => freePermit,
  visible: async (row) => markVisible(row),
});

/** The permit of the system, which consumes nothing. */
const freePermit: NewRecordPermit = Object.freeze<NewRecordPermit>({
  confirm: () => undefined,
  consume: async () => undefined,
});
