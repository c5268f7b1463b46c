import type { AccessSet } from '../access-set/access-set.ts';
import { toBareRecord } from '../input/unknown-input.ts';
import type { LayerContext } from '../layer/layer.ts';
import { readEffectivePlans } from '../layer/tenant-state.ts';
import { isKnown } from './asking.ts';
import { checkAll } from './check-all.ts';

/** Checks all entitlements in the caller's current tenant, as of one moment. */
export async function readAccessSet(context: LayerContext): Promise<AccessSet> {
  const { access, caller, reads } = context;
  const tenant = caller.userId === null ? null : await reads.tenantOf(null);
  if (tenant?.resource && isKnown(access, tenant.resource)) await reads.loadTenantSnapshot(tenant.resource);
  const moment = context.now();
  const asking = { ...context, now: () => moment };
  const names = [...access.entitlements.keys()];
  const checks = await checkAll(
    asking,
    names.map((entitlement) => ({ entitlement })),
  );
  const plans = tenant ? [...(await readEffectivePlans(tenant.id, asking)).basePlans] : [];
  return {
    entitlements: toBareRecord(checks.map((check, index) => [names[index] ?? '', check])),
    plans: toBareRecord(plans.map(([group, { plan }]) => [group, plan.name])),
  };
}
