import type { Entity, Operation, OperationRule } from '@x/entity';
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
export function errorsOfOperation({ model, rules, fieldRules }: Entity, operation: Operation): readonly ErrorCode[] {
  const rule = rules.get(operation);
  const isOwned = [...model.allFields.values()].some(({ options }) => options.serverValue && !options.nullable);
  const needsOwner = isOwned && (operation === 'create' || operation === 'bulk');
  const ofFields = choosing.has(operation) ? [...fieldRules.write.values()].flatMap(errorsOfRule) : [];
  return [...errorsOfRule(rule), ...ofFields, ...(needsOwner ? (['UNAUTHENTICATED'] as const) : [])];
}

/** The operations in which callers choose fields. */
const choosing: ReadonlySet<Operation> = new Set(['create', 'update', 'bulk']);

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
