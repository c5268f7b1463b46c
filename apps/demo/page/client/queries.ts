import type { User } from '@x/auth';
import type { Serialized } from '@x/client';
import { useQuery, useSession } from '@x/client/react';
import { useMembers } from '../organization/queries.ts';
import { cache, client, hasFeature } from './client.ts';

/** The providers that one can sign in with. */
export const providers = cache.query(['providers'], (_: void, options) => client.auth.providers(options));

/** The state of the second factor, which is off for everybody where the server has none. */
export const secondFactor = cache.query(['second-factor'], async (_: void, options) =>
  hasFeature('mfa') ? client.auth.mfa.status(options) : ({ ok: true, value: noFactor, data: noFactor } as const),
);

const noFactor = { enabled: false, backupCodesRemaining: 0 } as const;

/** The members of an organization, by address: at most 1 000; none of no organization. */
const members = cache.query(['members'], async (organizationId: string, options) => {
  if (organizationId === '') return { ok: true, value: [], data: [] } as const;
  const listed = await client.entities.organizations.members.get(organizationId, undefined, options);
  if (!listed.ok) return listed;
  const data = 'members' in listed.data ? listed.data.members : listed.data.items;
  return { ok: true, value: data, data } as const;
});

/** Returns the signed-in user, below the point where there is one. */
export function useUser(): Serialized<User> {
  const { user } = useSession(client);
  if (!user) throw new Error('No user is signed in.');
  return user;
}

/** The current organization; an empty text where there is none, which no screen of an organization is shown for. */
export function useOrganizationId(): string {
  return useUser().tenantId ?? '';
}

/** A user with a name to show. */
export interface Person {
  readonly userId: string;
  readonly email: string;
}

/** The people of the current organization, each once. */
export function usePeople(): readonly Person[] {
  const organizationId = useOrganizationId();
  const { data: page } = useMembers();
  const hasMore = page !== undefined && page.nextCursor !== null;
  const { data: all } = useQuery(members, hasMore ? organizationId : '');
  const known = (hasMore && all) || page?.items || [];
  return [...new Map(known.map((member) => [member.userId, member])).values()];
}

/** Names people by their ids; undefined for those who are not in the current organization. */
export function useNames(): (userId: string | null) => string | undefined {
  const user = useUser();
  const names = new Map(usePeople().map(({ userId, email }) => [userId, email]));
  return (userId) => (userId === user.id ? user.email : userId === null ? undefined : names.get(userId));
}
