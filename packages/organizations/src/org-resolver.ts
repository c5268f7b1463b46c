import type { Resource } from '@x/store';
import type { Settings } from './settings.ts';

/** Finds the organization above a resource or, without one, the caller's current organization. */
export type OrganizationResolver = (
  resource: Resource | undefined,
  lookup: {
    readonly ancestors: () => Promise<readonly Resource[]>;
    readonly caller?: { readonly tenantId: string | null };
  },
) => Promise<Resource | null | undefined>;

/** Creates the resolver of a type of organizations. */
export function createOrgResolver({ type }: Pick<Settings, 'type'>): OrganizationResolver {
  return async (resource, { ancestors, caller }) => {
    if (resource) return [resource, ...(await ancestors())].find((each) => each.type === type);
    const { tenantId = null } = caller ?? {};
    return tenantId === null ? null : { type, id: tenantId };
  };
}
