import type { Rule } from '@x/access';

/** Lists the entitlements that a rule names; none if it is not a valid rule. */
export function findEntitlements(rule: Rule): readonly string[] {
  if (typeof rule !== 'object' || rule === null) return [];
  if (rule.type === 'entitlement') return [rule.entitlement];
  const isCombined = (rule.type === 'all' || rule.type === 'any') && Array.isArray(rule.rules);
  return isCombined ? rule.rules.flatMap(findEntitlements) : [];
}
