import type { ClientResult } from '@x/client';
import { client } from '../client.ts';
import { type Loaded, useLoad } from '../load/use-load.ts';

/** What somebody is in an organization. */
export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
}

/** The roles in an organization, the mightiest first. */
export const roles = ['owner', 'admin', 'member'] as const;

type Role = (typeof roles)[number];

/** Loads who is in an organization. */
export function useMembers(organizationId: string): Loaded<{ readonly members: readonly Member[] }> {
  return useLoad('members', (options) => client.request(`/api/organizations/${organizationId}/members`, options));
}

/** Does what only organizations can do. */
export function actOnOrganization(
  organizationId: string,
  action: 'invite' | 'set-role',
  body: object,
): Promise<ClientResult<unknown>> {
  return client.request(`/api/organizations/${organizationId}/${action}`, { method: 'POST', body });
}
