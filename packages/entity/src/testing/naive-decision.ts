import type { Rule, RuleCaller, RuleConditions } from '@x/access';
import type { RuleRow } from './any-rule.ts';

/** A caller, the time, and the rules: that of reading, and that of the operation. */
export interface NaiveCase {
  readonly caller: RuleCaller;
  readonly now: Date;
  readonly reading: Rule;
  readonly rule: Rule;
}

/** Returns the refusal of an operation that no row could change: 401, 403, or null. */
export function naiveRefusal({ caller, now, rule }: Omit<NaiveCase, 'reading'>): 401 | 403 | null {
  const isAnonymous = caller.userId === null;
  const isForAnonymous = isSatisfied(rule, isWithoutCaller, ({ type }) => type === 'public');
  if (isAnonymous && !isForAnonymous) return 401;
  return isSatisfied(
    rule,
    () => true,
    (leaf) => isGrantedTo(leaf, caller, now),
  )
    ? null
    : 403;
}

/**
 * Says how a row is refused to a caller who is not refused altogether: 404, for something the caller lacks, or not at
 * all.
 */
export function naiveDecision({ caller, now, reading, rule }: NaiveCase, row: RuleRow): 404 | 403 | 401 | null {
  const isOf = (conditions: RuleConditions): boolean => isTrueOf(conditions, caller, row);
  const isGranted = (leaf: Leaf): boolean => isGrantedTo(leaf, caller, now);
  if (!isSatisfied(reading, isOf, isGranted)) return 404;
  if (isSatisfied(rule, isOf, isGranted)) return null;
  if (!isSatisfied(rule, isOf, () => true)) return 404;
  return caller.userId === null ? 401 : 403;
}

/** Says whether a row satisfies a rule. */
export function naivelySatisfies({ caller, now, rule }: Omit<NaiveCase, 'reading'>, row: RuleRow): boolean {
  return isSatisfied(
    rule,
    (conditions) => isTrueOf(conditions, caller, row),
    (leaf) => isGrantedTo(leaf, caller, now),
  );
}

/** The rule of reading or writing one field: `false` allows no caller, null leaves it to the rules of the record. */
export type NaiveFieldRule = Rule | false | null;

type NaiveCaller = Pick<NaiveCase, 'caller' | 'now'>;

/** Says whether a row satisfies the rule of a field. */
export function naiveFieldAllows(by: NaiveCaller, rule: NaiveFieldRule, row: RuleRow): boolean {
  return rule === null || (rule !== false && naivelySatisfies({ ...by, rule }, row));
}

/** Says whether every possible row satisfies it. */
export function naiveFieldIsOpen({ caller, now }: NaiveCaller, rule: NaiveFieldRule): boolean {
  if (rule === null || rule === false) return rule === null;
  return isSatisfied(
    rule,
    () => false,
    (leaf) => isGrantedTo(leaf, caller, now),
  );
}

/** Says how a caller is refused to write a field of a row, or that they are not. */
export function naiveChoice(by: NaiveCaller, rule: NaiveFieldRule, row: RuleRow): 403 | 401 | null {
  if (naiveFieldAllows(by, rule, row)) return null;
  if (by.caller.userId !== null) return 403;
  if (!rule || naiveRefusal({ ...by, rule }) === 401) return 401;
  const couldBeSatisfied = isSatisfied(
    rule,
    (conditions) => isTrueOf(conditions, by.caller, row),
    () => true,
  );
  return couldBeSatisfied ? 401 : 403;
}

/** A part of a rule that neither combines others nor depends on the row. */
export type Leaf = Exclude<Rule, { readonly rules: unknown } | { readonly conditions: unknown }>;

/** Says whether a rule is satisfied, given what its conditions and its leaves do. */
export function isSatisfied(
  rule: Rule,
  isOf: (conditions: RuleConditions) => boolean,
  isGranted: (leaf: Leaf) => boolean,
): boolean {
  switch (rule.type) {
    case 'all':
      return rule.rules.every((each) => isSatisfied(each, isOf, isGranted));
    case 'any':
      return rule.rules.some((each) => isSatisfied(each, isOf, isGranted));
    case 'where':
      return isOf(rule.conditions);
    default:
      return isGranted(rule);
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

function isGrantedTo(leaf: Leaf, { userId, role, secondFactorAt }: RuleCaller, now: Date): boolean {
  if (leaf.type === 'public') return true;
  if (userId === null) return false;
  if (leaf.type === 'role') return leaf.roles.includes(role ?? '');
  if (leaf.type !== 'fva') return true;
  return secondFactorAt !== null && now.getTime() - secondFactorAt.getTime() <= leaf.maxAgeSeconds * 1000;
}
