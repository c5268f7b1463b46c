import type { LimitUsage } from '@x/access/access-set';
import { planLimits } from '../access/model.ts';
import type { planNames } from '../form/upgrade-button.tsx';
import { formatDay } from '../screen/wording.tsx';
import { language, t } from '../text/text.ts';

/** The name of a plan. */
export type PlanName = (typeof planNames)[number];

/** One thing in which plans differ. */
interface Fact {
  readonly key: string;
  readonly label: string;
  /** How much of it a plan has. */
  readonly text: string;
  readonly isIncluded: boolean;
}

/** What a plan has, in the same order for each, so that they can be compared line by line. */
export function listFacts(plan: PlanName): readonly Fact[] {
  const facts = ['projects', 'tasks', 'exports', 'reports'].map((key) => ({ key, isIncluded: isIncluded(plan, key) }));
  return facts.map(({ key, isIncluded: included }) => ({
    key,
    label: t.organization.limitNames[key] ?? key,
    text: included ? textOf(plan, key) : t.organization.notIncluded,
    isIncluded: included,
  }));
}

/** Exports come with the larger plans, and reports with the largest. */
function isIncluded(plan: PlanName, key: string): boolean {
  if (key === 'exports') return plan !== 'free';
  return key !== 'reports' || plan === 'enterprise';
}

function textOf(plan: PlanName, key: string): string {
  const limit = planLimits[plan][key];
  if (limit) return t.organization.perPeriod(limit.max.toLocaleString(language), limit.per);
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
      const less = t.organization.insteadOf(label, text, before.get(key) ?? '');
      const used = limits.find((limit) => limit.key === key);
      const max = planLimits[to][key]?.max;
      if (!used || max === undefined || used.consumed < max) return less;
      const until = used.resetsAt === null ? null : formatDay(used.resetsAt);
      return `${less} ${t.organization.usedUp(used.consumed, until)}`;
    });
}
