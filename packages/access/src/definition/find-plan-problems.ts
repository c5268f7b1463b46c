import { didYouMean, findUnknownOptions } from '@x/errors';
import { periodNames } from '../plan/limit-period.ts';
import { type AddOnModel, type BasePlanModel, defaultGroup, type LimitModel } from '../plan/plan-model.ts';
import { isRecord, own } from '../unknown-input.ts';
import { findListProblems, type NamedPlace, namePattern, toEntries, toList } from './shape-problems.ts';

/** Finds all problems of a model's plans, one sentence each, starting with its place. */
export function findPlanProblems(model: object, entitlements: ReadonlySet<string>): readonly string[] {
  const plans = own(model, 'plans');
  if (plans !== undefined && !isRecord(plans)) return ['plans: must be an object.'];
  const entries = toEntries(plans);
  const groups = new Map(entries.flatMap(([name, plan]) => (isBasePlan(plan) ? [[name, groupOf(plan)]] : [])));
  const known: KnownNames = { entitlements, groups };
  return [
    ...entries.flatMap(([name, plan]) => findOnePlanProblems(name, plan, known)),
    ...findContradictions(entries),
    ...findDefaultProblems(own(model, 'defaultPlan'), known),
  ];
}

/** The names that a model defines. */
interface KnownNames {
  readonly entitlements: ReadonlySet<string>;
  /** The group of each base plan. */
  readonly groups: ReadonlyMap<unknown, unknown>;
}

function isBasePlan(plan: unknown): plan is object {
  return isRecord(plan) && (own(plan, 'addOn') ?? false) === false;
}

function groupOf(plan: object): unknown {
  return own(plan, 'group') ?? defaultGroup;
}

function findOnePlanProblems(name: string, plan: unknown, known: KnownNames): readonly string[] {
  const place = `plans.${name}`;
  if (!isRecord(plan)) return [`${place}: must be an object.`];
  const [addOn, features] = [own(plan, 'addOn'), own(plan, 'features')];
  const isBase = isBasePlan(plan);
  const limits = own(plan, 'limits');
  return [
    ...findNameProblems(name, { place, noun: 'plan' }),
    ...(isBase
      ? findUnknownOptions<BasePlanModel>(plan, { group: true, features, limits, addOn }, place)
      : findUnknownOptions<AddOnModel>(plan, { addOn, features, limits, requires: true }, place)),
    ...(addOn === undefined || typeof addOn === 'boolean' ? [] : [`${place}.addOn: must be true or false.`]),
    ...(isBase ? findNameProblems(groupOf(plan), { place: `${place}.group`, noun: 'group' }) : []),
    ...(features === undefined ? [] : findFeatureProblems(features, `${place}.features`, known)),
    ...(limits === undefined || isRecord(limits) ? [] : [`${place}.limits: must be an object.`]),
    ...toEntries(limits).flatMap(([limit, model]) => findLimitProblems(limit, model, { place, known })),
    ...(isBase ? [] : findRequirementProblems(own(plan, 'requires'), `${place}.requires`, known)),
  ];
}

function findNameProblems(name: unknown, { place, noun }: NamedPlace): readonly string[] {
  if (typeof name === 'string' && namePattern.test(name)) return [];
  return [`${place}: a ${noun}'s name must start with a letter and contain only letters, digits and \`_.-\`.`];
}

function findFeatureProblems(features: unknown, place: string, { entitlements }: KnownNames): readonly string[] {
  if (!Array.isArray(features)) return [`${place}: must be a list.`];
  return features.flatMap((feature: unknown, index) => {
    if (!isOneOf(entitlements, feature)) return [`${place}: ${lacksEntitlement(feature, entitlements)}`];
    return features.indexOf(feature) < index ? [`${place}: \`${String(feature)}\` is listed twice.`] : [];
  });
}

function isOneOf(names: ReadonlySet<unknown>, name: unknown): boolean {
  return names.has(name);
}

function lacksEntitlement(name: unknown, entitlements: ReadonlySet<string>): string {
  return `there is no entitlement \`${String(name)}\`${didYouMean(name, entitlements, '.')}`;
}

/** The name of a limit contains no colon, so it never equals that of an entitlement; overrides may name either. */
function findLimitProblems(
  name: string,
  limit: unknown,
  { place: of, known }: { readonly place: string; readonly known: KnownNames },
): readonly string[] {
  const place = `${of}.limits.${name}`;
  if (!isRecord(limit)) return [`${place}: must be an object.`];
  const [gates, per, max] = [own(limit, 'gates'), own(limit, 'per'), own(limit, 'max')];
  const isPeriod = per === undefined || (typeof per === 'string' && periodNames.includes(per));
  return [
    ...findNameProblems(name, { place, noun: 'limit' }),
    ...findUnknownOptions<LimitModel>(limit, { gates, per, max }, place),
    ...(isOneOf(known.entitlements, gates) ? [] : [`${place}.gates: ${lacksEntitlement(gates, known.entitlements)}`]),
    ...(isPeriod ? [] : [`${place}.per: must be one of ${periodNames.join(', ')}.`]),
    ...(Number.isSafeInteger(max) && Number(max) >= -1
      ? []
      : [`${place}.max: must be -1, 0 or a positive safe integer.`]),
  ];
}

function findRequirementProblems(requires: unknown, place: string, { groups }: KnownNames): readonly string[] {
  if (requires === undefined) return [];
  if (!isRecord(requires)) return [`${place}: must be an object.`];
  const [group, plans] = [own(requires, 'group'), own(requires, 'plans')];
  return [
    ...findNameProblems(group, { place: `${place}.group`, noun: 'group' }),
    ...findListProblems(plans, { place: `${place}.plans`, noun: 'plan' }),
    ...toList(plans)
      .filter((plan) => !groups.has(plan) || groups.get(plan) !== group)
      .map((plan) => `${place}.plans: \`${String(plan)}\` is not a base plan of the group \`${String(group)}\`.`),
  ];
}

/** A limit has one counter, so every plan that names it has to mean the same limit. */
function findContradictions(plans: readonly (readonly [string, unknown])[]): readonly string[] {
  const first = new Map<string, { readonly plan: string; readonly group: unknown; readonly limit: object }>();
  const problems: string[] = [];
  const ordered = [...plans.filter(([, plan]) => isBasePlan(plan)), ...plans.filter(([, plan]) => !isBasePlan(plan))];
  for (const [plan, model] of ordered) {
    if (!isRecord(model)) continue;
    for (const [name, limit] of toEntries(own(model, 'limits'))) {
      if (!isRecord(limit)) continue;
      const group = groupOf(model);
      const before = first.get(name);
      const place = `plans.${plan}.limits.${name}`;
      if (!before) first.set(name, { plan, group, limit });
      else if ((isBasePlan(model) && before.group !== group) || own(before.limit, 'per') !== own(limit, 'per')) {
        problems.push(`${place}: must have the same group and \`per\` as in \`${before.plan}\`.`);
      } else if (own(before.limit, 'gates') !== own(limit, 'gates')) {
        problems.push(`${place}: must gate the same entitlement as in \`${before.plan}\`.`);
      }
    }
  }
  return problems;
}

function findDefaultProblems(defaultPlan: unknown, { groups }: KnownNames): readonly string[] {
  if (defaultPlan === undefined || groups.has(defaultPlan)) return [];
  const name = typeof defaultPlan === 'string' ? defaultPlan : typeof defaultPlan;
  return [`defaultPlan: there is no base plan \`${name}\`${didYouMean(name, Array.from(groups.keys(), String), '.')}`];
}
