import type { Resource } from '@x/store';
import type { AccessSet } from '../access-set/access-set.ts';
import type { AccessModel } from '../definition/access-model.ts';
import { compiledOf, type AccessDefinition } from '../definition/define-access.ts';
import type { AccessStores } from './access-sources.ts';
import { openAsking, type AskingOptions } from './asking.ts';
import { readAccessSet } from './read-access-set.ts';

/** Whose access it is, in which tenant, and the stores it is read from. */
export interface AccessSetOptions<Model extends AccessModel = AccessModel>
  extends Omit<AskingOptions<Model>, 'orgResolver'>, Omit<AccessStores, 'orgResolver'> {
  /**
   * The tenant, preferably as a resource, since roles are held on resources. A bare id is taken as a resource of the
   * one type that inherits from no other, if there is exactly one. Null for no tenant.
   */
  readonly tenantId: string | Resource | null;
}

/**
 * Checks all entitlements of one user in one tenant, each on the tenant itself, as an access context in that tenant
 * does. Makes at most 5 store calls, whatever the number of entitlements. Throws if a store does.
 *
 * @example
 * ```ts
 * const accessSet = await computeAccessSet({ userId, definition, roleStore, closureStore, tenantId });
 * const encoded = encodeAccessSet(accessSet);
 * ```
 */
export async function computeAccessSet<Model extends AccessModel>({
  tenantId,
  ...options
}: AccessSetOptions<Model>): Promise<AccessSet> {
  const tenant = typeof tenantId === 'string' ? toTenantResource(options.definition, tenantId) : tenantId;
  return readAccessSet(openAsking({ ...options, orgResolver: () => tenant }));
}

function toTenantResource(definition: AccessDefinition, id: string): string | Resource {
  const roots = [...compiledOf(definition).types].filter(([type, { inherits }]) =>
    [...inherits.keys()].every((parent) => parent === type),
  );
  const [root] = roots;
  return root && roots.length === 1 ? { type: root[0], id } : id;
}
