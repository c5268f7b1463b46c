import { createOrganizationHooks } from '@x/organizations/react';
import { cache, client } from '../client/client.ts';

/** One organization. */
export const organizationById = cache.query(['organizations'], (id: string, options) =>
  client.entities.organizations.get(id, {}, options),
);

/** The roles on an organization that can be given, the lowest first. */
export const organizationRoles = ['member', 'admin', 'owner'] as const;

/** One of them. */
export type OrganizationRole = (typeof organizationRoles)[number];

/** How high a role is. */
export function rankOf(role: OrganizationRole): number {
  return organizationRoles.indexOf(role);
}

/** Those that people can be invited to. */
export const offeredRoles = ['member', 'admin'] as const;

/** The organizations of the user, and the members of the current one. */
export const { useOrganization, useMembers } = createOrganizationHooks(client, cache, ['projects', 'tasks', 'plan']);
