import type { ServerOrgResolver } from '@x/server';

/** Finds the organization above a resource, or the caller's current organization. */
export const orgResolver: ServerOrgResolver = async (resource, { above, caller }) => {
  if (!resource) return caller.tenantId === null ? null : { type: 'organization', id: caller.tenantId };
  return [resource, ...(await above())].find(({ type }) => type === 'organization');
};
