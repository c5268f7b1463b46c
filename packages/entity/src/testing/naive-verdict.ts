import type { Rule, RuleCaller, RuleConditions } from '@x/access';
import type { RuleRow } from './any-rule.ts';

/** Who asks, when, and the rules: that of reading, and that of the operation. */
export interface NaiveCase {
  readonly caller: RuleCaller;
  readonly now: Date;
  readonly reading: Rule;
  readonly rule: Rule;
}

/** Says what keeps a caller out of an operation whatever the rows: 401, 403, or nothing. */
export function naiveAdmission({ caller, now, rule }: Omit<NaiveCase, 'reading'>): 401 | 403 | null {
  const isAnonymous = caller.userId === null;
  const isForAnonymous = holds(rule, isWithoutCaller, ({ type }) => type === 'public');
  if (isAnonymous && !isForAnonymous) return 401;
  return holds(
    rule,
    () => true,
    (leaf) => isHeldBy(leaf, caller, now),
  )
    ? null
    : 403;
}

/** Says how a row is refused to an admitted caller: 404, for something the caller lacks, or not at all. */
export function naiveVerdict({ caller, now, reading, rule }: NaiveCase, row: RuleRow): 404 | 403 | 401 | null {
  const isOf = (conditions: RuleConditions): boolean => isTrueOf(conditions, caller, row);
  const isHeld = (leaf: Leaf): boolean => isHeldBy(leaf, caller, now);
  if (!holds(reading, isOf, isHeld)) return 404;
  if (holds(rule, isOf, isHeld)) return null;
  if (!holds(rule, isOf, () => true)) return 404;
  return caller.userId === null ? 401 : 403;
}

/** Says whether a rule holds for a row. */
export function naiveHolds({ caller, now, rule }: Omit<NaiveCase, 'reading'>, row: RuleRow): boolean {
  return holds(
    rule,
    (conditions) => isTrueOf(conditions, caller, row),
    (leaf) => isHeldBy(leaf, caller, now),
  );
}

/** Who may read or write one field: `false` for nobody, null if the rules of the record decide. */
export type NaiveFieldRule = Rule | false | null;

type NaiveCaller = Pick<NaiveCase, 'caller' | 'now'>;

/** Says whether the rule of a field holds for a row. */
export function naiveFieldHolds(by: NaiveCaller, rule: NaiveFieldRule, row: RuleRow): boolean {
  return rule === null || (rule !== false && naiveHolds({ ...by, rule }, row));
}

/** Says whether it holds for every possible row. */
export function naiveFieldIsOpen({ caller, now }: NaiveCaller, rule: NaiveFieldRule): boolean {
  if (rule === null || rule === false) return rule === null;
  return holds(
    rule,
    () => false,
    (leaf) => isHeldBy(leaf, caller, now),
  );
}

/** Says how a caller is refused to write a field of a row, or that they are not. */
export function naiveChoice(by: NaiveCaller, rule: NaiveFieldRule, row: RuleRow): 403 | 401 | null {
  if (naiveFieldHolds(by, rule, row)) return null;
  if (by.caller.userId !== null) return 403;
  if (!rule || naiveAdmission({ ...by, rule }) === 401) return 401;
  const couldHold = holds(
    rule,
    (conditions) => isTrueOf(conditions, by.caller, row),
    () => true,
  );
  return couldHold ? 401 : 403;
}

/** A part of a rule that neither combines others nor depends on the row. */
export type Leaf = Exclude<Rule, { readonly rules: unknown } | { readonly conditions: unknown }>;

/** Says whether a rule holds, given what its conditions and its leaves do. */
export function holds(
  rule: Rule,
  isOf: (conditions: RuleConditions) => boolean,
  isHeld: (leaf: Leaf) => boolean,
): boolean {
  switch (rule.type) {
    case 'all':
      return rule.rules.every((each) => holds(each, isOf, isHeld));
    case 'any':
      return rule.rules.some((each) => holds(each, isOf, isHeld));
    case 'where':
      return isOf(rule.conditions);
    default:
      return isHeld(rule);
  }
}

function isWithoutCaller(conditions: RuleConditions): boolean {
  return Object.values(conditions).every((value) => typeof value !== 'object' || value === null);
}

function isTrueOf(conditions: RuleConditions, caller: RuleCaller, row: RuleRow): boolean {
  return Object.entries(conditions).every(([field, value]) => {
    const cell = row[field as keyof RuleRow];
    if (value === null) return cell === null;
    if (typeof value !== 'object') return cell === value;
    const known = value.placeholder === 'user.id' ? caller.userId : caller.tenantId;
    return known !== null && cell === known;
  });
}

function isHeldBy(leaf: Leaf, { userId, role, secondFactorAt }: RuleCaller, now: Date): boolean {
  if (leaf.type === 'public') return true;
  if (userId === null) return false;
  if (leaf.type === 'role') return leaf.roles.includes(role ?? '');
  if (leaf.type !== 'fva') return true;
  return secondFactorAt !== null && now.getTime() - secondFactorAt.getTime() <= leaf.maxAgeSeconds * 1000;
}
