import { type Endpoint, type Entity, isMovable, type Operation, type OperationRule } from '@x/entity';
import type { ErrorCode } from '@x/errors';

type Predicate = OperationRule['predicate'];

/** Says whether a rule allows every caller on every record. */
export function isForAll(rule: OperationRule | undefined): boolean {
  return rule?.predicate.type === 'constant' && rule.predicate.value;
}

/** Says whether some callers satisfy a rule, or a part of it, on every record. */
export function isOfCaller(predicate: Predicate): boolean {
  switch (predicate.type) {
    case 'and':
      return predicate.operands.every(isOfCaller);
    case 'or':
      return predicate.operands.some(isOfCaller);
    case 'constant':
      return predicate.value;
    default:
      return predicate.type !== 'equals' && predicate.type !== 'entitlement' && predicate.type !== 'resourceRole';
  }
}

/** Lists the errors that the rule of an operation, and the rules of the fields it writes, lead to. */
export function errorsOfOperation(
  entity: Entity,
  { name, operation, rule }: Pick<Endpoint, 'name' | 'rule'> & { readonly operation: Operation },
): readonly ErrorCode[] {
  const { model, rules, fieldRules } = entity;
  const isOwned = [...model.allFields.values()].some(({ options }) => options.serverValue && !options.nullable);
  const taken = takenBy(name, operation);
  const needsOwner = isOwned && taken.includes('create');
  const choosesFields = taken.includes('create') || taken.includes('update');
  const ofMoves = taken.includes('update') && isMovable(entity) ? (['delete', 'create'] as const) : [];
  const ofFields = choosesFields ? [...fieldRules.write.values()].flatMap(errorsOfRule) : [];
  return [
    ...errorsOfRule(rule),
    ...[...taken, ...ofMoves].flatMap((each) => errorsOfRule(rules.get(each))),
    ...ofFields,
    ...(needsOwner ? (['UNAUTHENTICATED'] as const) : []),
  ];
}

/** Lists the operations on records that an operation takes. */
function takenBy(name: string, operation: Operation): readonly Operation[] {
  if (name === 'upsert') return ['create', 'update'];
  if (operation === 'import') return ['create'];
  return operation === 'bulk' ? ['create', 'update', 'delete'] : [operation];
}

/** Lists the errors that a rule leads to. */
export function errorsOfRule(rule: OperationRule | undefined): readonly ErrorCode[] {
  if (!rule || isForAll(rule)) return [];
  const types = new Set(leavesOf(rule.predicate));
  const isStepUp = types.delete('fva');
  const asksMore = [...types].some((type) => type !== 'authenticated' && type !== 'equals' && type !== 'constant');
  return [
    'UNAUTHENTICATED',
    ...(asksMore ? (['FORBIDDEN'] as const) : []),
    ...(isStepUp ? (['STEP_UP_REQUIRED'] as const) : []),
  ];
}

function leavesOf(predicate: Predicate): readonly string[] {
  if (predicate.type === 'and' || predicate.type === 'or') return predicate.operands.flatMap(leavesOf);
  return [predicate.type];
}
