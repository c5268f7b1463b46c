import type { LimitUsage } from '@x/access/access-set';
import { planLimits, plansOf } from '../access/model.ts';
import type { PlanName } from '../client/plans.ts';
import { formatDay, formatNumber } from '../screen/wording.tsx';
import { language, t } from '../text/text.ts';

/** One thing in which plans differ. */
interface Fact {
  readonly key: string;
  readonly label: string;
  /** How much of it a plan has. */
  readonly text: string;
  readonly isIncluded: boolean;
}

/** What plans are compared by: the entitlements in question, by what they are about. */
const compared = {
  projects: 'organization:create-project',
  tasks: 'project:create-task',
  exports: 'project:export',
  reports: 'report:read',
} as const;

/** What a plan has, in the same order for each, so that they can be compared line by line. */
export function listFacts(plan: PlanName): readonly Fact[] {
  return Object.entries(compared).map(([key, entitlement]) => {
    const isIncluded = plansOf[entitlement]?.includes(plan) ?? true;
    return {
      key,
      label: t.organization.limitNames[key] ?? key,
      text: isIncluded ? textOf(plan, key) : t.organization.notIncluded,
      isIncluded,
    };
  });
}

function textOf(plan: PlanName, key: string): string {
  const limit = planLimits[plan][key];
  if (limit) return t.organization.perPeriod(formatNumber(limit.max), limit.per);
  return key === 'reports' ? t.organization.included : t.organization.unlimited;
}

/** What a smaller plan has less of, and what of that is used already. */
export function listLosses(change: {
  readonly from: PlanName;
  readonly to: PlanName;
  readonly limits: readonly LimitUsage[];
}): readonly string[] {
  const { from, to, limits } = change;
  const before = new Map(listFacts(from).map(({ key, text }) => [key, text]));
  return listFacts(to)
    .filter(({ key, text }) => text !== before.get(key))
    .map(({ key, label, text }) => {
      const less = t.organization.insteadOf(label, toInner(text), toInner(before.get(key) ?? ''));
      const used = limits.find((limit) => limit.key === key);
      const max = planLimits[to][key]?.max;
      if (!used || max === undefined || used.consumed < max) return less;
      const until = used.resetsAt === null ? null : formatDay(used.resetsAt);
      return `${less} ${t.organization.usedUp(used.consumed, until)}`;
    });
}

/** A text as it stands within a sentence. */
function toInner(text: string): string {
  return text.charAt(0).toLocaleLowerCase(language) + text.slice(1);
}
