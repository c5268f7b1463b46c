import type { AccessTrace } from '@x/access';
import { inherits, planLimits } from './model.ts';

/** What decides on an entitlement, in the order in which it is drawn. */
export const layerNames = ['role', 'inheritance', 'plan', 'limit', 'flag', 'rule'] as const;

export type LayerName = (typeof layerNames)[number];

/**
 * What a layer says: it passes, it is in the way, nothing could reach it, the entitlement has none, or those who ask
 * may not see it.
 */
export type LayerState = 'passes' | 'blocks' | 'unreached' | 'absent' | 'hidden';

/** Reads the state of every layer from a trace and the declared model, which knows what the trace leaves out. */
export function toLayers(trace: AccessTrace): Readonly<Record<LayerName, LayerState>> {
  return { ...toRoleLayers(trace), ...toPlanLayers(trace), ...toOtherLayers(trace) };
}

/** Whether a role is missing: the reason can stand for a rule, too, which refuses the record itself. */
function lacksRole({ reasons, rolePaths }: AccessTrace): boolean {
  return reasons.some((each) => roleReasons.has(each)) && !rolePaths.some(({ isEnough }) => isEnough);
}

const roleReasons: ReadonlySet<string> = new Set(['role_required', 'hierarchy_denied', 'not_authenticated']);

function toRoleLayers(trace: AccessTrace): Readonly<Record<'role' | 'inheritance', LayerState>> {
  const { rolePaths, resource } = trace;
  const isTop = Object.keys(inherits[resource?.type ?? ''] ?? {}).length === 0;
  const inherited = rolePaths.filter(({ steps }) => steps.length > 1);
  if (!lacksRole(trace)) {
    return { role: 'passes', inheritance: inherited.some(({ isEnough }) => isEnough) ? 'passes' : 'absent' };
  }
  if (inherited.length > 0) return { role: 'passes', inheritance: 'blocks' };
  return { role: 'blocks', inheritance: isTop ? 'absent' : 'unreached' };
}

function toPlanLayers({
  entitlement,
  reasons,
  plans,
  limits,
}: AccessTrace): Readonly<Record<'plan' | 'limit', LayerState>> {
  const isPlanMissing = reasons.includes('plan_required');
  const hasLimit = limitsOf(entitlement).length > 0;
  if (!plans) return { plan: 'hidden', limit: hasLimit ? 'hidden' : 'absent' };
  const plan = isPlanMissing ? 'blocks' : 'passes';
  if (limits.length > 0) return { plan, limit: reasons.includes('limit_reached') ? 'blocks' : 'passes' };
  return { plan, limit: hasLimit && isPlanMissing ? 'unreached' : 'absent' };
}

function toOtherLayers(trace: AccessTrace): Readonly<Record<'flag' | 'rule', LayerState>> {
  const { reasons, flags } = trace;
  const refusesRecord = reasons.includes('role_required') && !lacksRole(trace);
  const isRuleBroken = reasons.includes('step_up_required') || refusesRecord;
  const flag = Object.keys(flags).length === 0 ? 'absent' : 'passes';
  return { flag: reasons.includes('flag_disabled') ? 'blocks' : flag, rule: isRuleBroken ? 'blocks' : 'absent' };
}

/** The limits that any plan puts on an entitlement. */
export function limitsOf(
  entitlement: string,
): readonly { readonly plan: string; readonly max: number; readonly per: string }[] {
  return Object.entries(planLimits).flatMap(([plan, limits]) =>
    Object.values(limits).flatMap((limit) =>
      limit?.gates === entitlement ? [{ plan, max: limit.max, per: limit.per }] : [],
    ),
  );
}
