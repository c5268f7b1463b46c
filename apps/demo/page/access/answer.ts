import type { AccessTrace } from '@x/access';
import { formatChoice, formatDay } from '../screen/wording.tsx';
import { planName, roleName } from '../text/names.ts';
import { language, t } from '../text/text.ts';
import { tools } from '../text/tools.ts';
import { type LayerName, toLayers } from './layers.ts';
import type { NameOf } from './resource-select.tsx';

/** Words a decision as one sentence: who may do what on what, or may not, and why. */
export function toAnswer(trace: AccessTrace, who: string | null, nameOf: NameOf): string {
  const { allowed, entitlement, resource } = trace;
  const [type = ''] = entitlement.split(':');
  const name = resource ? nameOf(resource) : t.access.theOrganization;
  const on = resource && resource.type !== type ? (tools.access.allOf[type]?.(name) ?? name) : name;
  const does = tools.access.does[entitlement]?.(on, allowed) ?? entitlement;
  return tools.access.answer(tools.access.may(who, allowed, does), allowed ? toGrounds(trace) : toCauses(trace));
}

/** The roles that the person has on the resource. */
function rolesOn({ rolePaths }: AccessTrace): string {
  return formatAll([...new Set(rolePaths.map(({ role }) => roleName(role)))]);
}

function plansOf({ plans }: AccessTrace): string {
  return formatAll(plans?.basePlans.map(({ name }) => planName(name)) ?? []) || tools.access.noPlan;
}

function toGrounds(trace: AccessTrace): readonly string[] {
  const roles = rolesOn(trace);
  return [
    ...(roles === '' ? [] : [tools.access.because.role(roles)]),
    ...(trace.plans ? [tools.access.because.plan(plansOf(trace))] : []),
  ];
}

function toCauses(trace: AccessTrace): readonly string[] {
  const layers = toLayers(trace);
  const blocking = (Object.keys(causes) as LayerName[]).filter((name) => layers[name] === 'blocks');
  return blocking.map((name) => causes[name](trace));
}

const causes: Readonly<Record<LayerName, (trace: AccessTrace) => string>> = {
  role: toRoleCause,
  inheritance: toRoleCause,
  plan: (trace) =>
    tools.access.because.planMissing(plansOf(trace), formatChoice((trace.meta?.requiredPlans ?? []).map(planName))),
  limit: ({ meta }) => {
    const { consumed = 0, max = 0, key = '', resetsAt = null } = meta?.limit ?? {};
    const name = t.organization.limitNames[key] ?? key;
    return tools.access.because.limit(consumed, max, name, resetsAt === null ? null : formatDay(resetsAt));
  },
  flag: ({ meta }) => tools.access.because.flag(formatAll(meta?.disabledFlags ?? [])),
  rule: () => tools.access.because.rule,
};

function toRoleCause(trace: AccessTrace): string {
  const needed = formatChoice((trace.meta?.requiredRoles ?? []).map(roleName));
  const has = rolesOn(trace);
  return has === '' ? tools.access.because.noRole(needed) : tools.access.because.otherRole(has, needed);
}

function formatAll(names: readonly string[]): string {
  return new Intl.ListFormat(language, { type: 'conjunction' }).format(names);
}
