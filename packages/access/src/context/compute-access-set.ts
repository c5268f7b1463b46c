import type { Resource } from '@x/store';
import type { AccessSet } from '../access-set/access-set.ts';
import type { AccessModel } from '../definition/access-model.ts';
import { compiledOf, type AccessDefinition } from '../definition/define-access.ts';
import type { AccessSources } from './access-sources.ts';
import { openAsking, type AskingOptions } from './asking.ts';
import { readAccessSet } from './read-access-set.ts';

/** Whose access it is, in which tenant, and where it is read. */
export interface AccessSetOptions<Model extends AccessModel = AccessModel>
  extends Omit<AskingOptions<Model>, 'orgResolver'>, Omit<AccessSources, 'orgResolver'> {
  /**
   * The tenant, best as a resource, since roles are held on it. An id alone is that of a resource of the one type that
   * inherits from no other, where there is one. Null for none.
   */
  readonly tenantId: string | Resource | null;
}

/**
 * Checks all entitlements of one user in one tenant, as an access context does that is at work there: each on the tenant
 * itself. Makes 5 store calls at most, whatever the number of entitlements. Throws what a store throws.
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
