import type { Resource } from '@x/store';
import { type AccessSet, toBareRecord } from '../access-set/access-set.ts';
import { checkAll } from '../decision/check.ts';
import {
  createEvaluationContext,
  type EvaluationContext,
  type EvaluationOptions,
  isKnownResource,
} from '../decision/question.ts';
import { readEffectivePlans } from '../decision/tenant-state.ts';
import type { AccessModel } from '../definition/access-model.ts';
import { type AccessDefinition, compiledOf } from '../definition/define-access.ts';

/** The user whose access is decided, in which tenant, and the stores it is read from. */
export interface AccessSetOptions<Model extends AccessModel = AccessModel> extends Omit<
  EvaluationOptions<Model>,
  'orgResolver'
> {
  /**
   * The tenant, preferably as a resource, since roles are granted on resources. A bare id is taken as a resource of the
   * one type that inherits from no other, if there is exactly one. Null for no tenant.
   */
  readonly tenantId: string | Resource | null;
}

/**
 * Checks all entitlements of one user in one tenant, each on the tenant itself, as an access context in that tenant
 * does. Makes at most 5 store calls, for any number of entitlements. Throws if a store does.
 *
 * @example
 * ```ts
 * const accessSet = await computeAccessSet({ userId, definition, roleStore, closureStore, tenantId });
 * const encoded = encodeAccessSet(accessSet);
 * ```
 */
export async function computeAccessSet<Model extends AccessModel>(given: AccessSetOptions<Model>): Promise<AccessSet> {
  const { tenantId, ...options } = given;
  const tenant = typeof tenantId === 'string' ? toTenantResource(options.definition, tenantId) : tenantId;
  return readAccessSet(createEvaluationContext({ ...options, orgResolver: () => tenant }));
}

/** Checks all entitlements in the caller's current tenant, as of one moment. */
export async function readAccessSet(context: EvaluationContext): Promise<AccessSet> {
  const { access, caller, reads } = context;
  const tenant = caller.userId === null ? null : await reads.tenantOf(null);
  if (tenant?.resource && isKnownResource(access, tenant.resource)) await reads.loadTenantSnapshot(tenant.resource);
  const moment = context.now();
  const atMoment = { ...context, now: () => moment };
  const names = [...access.entitlements.keys()];
  const checks = await checkAll(
    atMoment,
    names.map((entitlement) => ({ entitlement })),
  );
  const plans = tenant ? [...(await readEffectivePlans(atMoment, tenant.id)).basePlans] : [];
  return {
    entitlements: toBareRecord(checks.map((check, index) => [names[index] ?? '', check])),
    plans: toBareRecord(plans.map(([group, { plan }]) => [group, plan.name])),
  };
}

function toTenantResource(definition: AccessDefinition, id: string): string | Resource {
  const roots = [...compiledOf(definition).types].filter(([type, { inherits }]) =>
    [...inherits.keys()].every((parent) => parent === type),
  );
  const [root] = roots;
  return root && roots.length === 1 ? { type: root[0], id } : id;
}
