import type { ServerOrgResolver } from '@x/server';

/** Finds the organization that is above a resource, or the one that the caller is at work in. */
export const orgResolver: ServerOrgResolver = async (resource, { above, caller }) => {
  if (!resource) return caller.tenantId === null ? null : { type: 'organization', id: caller.tenantId };
  return [resource, ...(await above())].find(({ type }) => type === 'organization');
};
