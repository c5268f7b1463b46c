import type { CallOptions, Client, ClientResult } from '@x/client';
import type { Pages, QueryCache, QueryState } from '@x/client/cache';
import { useQuery, useSession } from '@x/client/react';

/** An organization that the user belongs to. */
interface Organization {
  readonly id: string;
  readonly name: string;
}

interface OwnOrganizations {
  readonly tenants: readonly Organization[];
  readonly currentTenantId: string | null;
}

/** A member of an organization, with a role there; who has several is listed with each. */
export interface Member<Role extends string = string> {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
}

/** Selects members. */
export interface MemberQuery {
  /** The beginning of their addresses, in any case. Default: all. */
  readonly search?: string;
}

/** The user's organizations. */
export interface OrganizationState extends QueryState<OwnOrganizations> {
  /** The one that the session is in; null if it is in none, and until they are known. */
  readonly current: Organization | null;
  /** Moves the session to another one. Codes: `FORBIDDEN`. */
  readonly switchTo: (id: string) => Promise<ClientResult<unknown>>;
  /** Leaves the current one, with everything in it. Codes: `CONFLICT` for the last holder of the owner role. */
  readonly leave: () => Promise<ClientResult<unknown>>;
}

/** The members of the current organization, by address, as far as they were read. */
export interface MembersState<Role extends string = string> extends QueryState<Pages<Member<Role>>> {
  /** Gives a member another role, which shows at once. Codes: `FORBIDDEN`, `CONFLICT`, `NOT_FOUND`. */
  readonly setRole: (userId: string, role: Role) => Promise<ClientResult<unknown>>;
  /** Removes a member, and everything that the organization gave them. Codes as for `setRole`. */
  readonly remove: (userId: string) => Promise<ClientResult<unknown>>;
  /** Hands the owner role over to a member. Codes: `FORBIDDEN`, `NOT_FOUND`. */
  readonly transfer: (userId: string) => Promise<ClientResult<unknown>>;
}

/** The hooks of one client. */
export interface OrganizationHooks<Role extends string = string> {
  /** Returns the user's organizations, and renders again when they change. */
  readonly useOrganization: () => OrganizationState;
  /** Returns the members of the current organization, and renders again when they change. */
  readonly useMembers: (query?: MemberQuery) => MembersState<Role>;
}

/** The part of a client that is used: that of an app with the entity `organizations`. */
export interface OrganizationsClient<Role extends string = string> extends Pick<Client, 'session'> {
  readonly auth: { readonly tenants: Client['auth']['tenants'] };
  readonly entities: { readonly organizations: OrganizationCalls<Role> };
}

type Options = Pick<CallOptions, 'signal'>;

/** Declared as methods, because a client knows the roles by name. */
interface OrganizationCalls<Role extends string> {
  readonly members: {
    get(
      id: string,
      query: MemberQuery & { readonly after?: string; readonly limit?: number },
      options?: Options,
    ): Promise<
      ClientResult<
        | { readonly members: readonly Member[] }
        | { readonly items: readonly Member[]; readonly nextCursor: string | null }
      >
    >;
  };
  setRole(
    id: string,
    input: { readonly userId: string; readonly role: Role | null },
    options: { readonly keepsAccess: boolean },
  ): Promise<ClientResult<unknown>>;
  transfer(id: string, input: { readonly userId: string }): Promise<ClientResult<unknown>>;
  leave(id: string): Promise<ClientResult<unknown>>;
}

/** The topics of the hooks. */
type Topic = 'members' | 'organizations';

/** A cache of an app whose topics include those of the hooks. */
export type OrganizationsCache = Pick<QueryCache<Topic>, 'query' | 'pages' | 'write'>;

/**
 * Creates the hooks for the organizations of a client. Their results are in the cache of the app, under the topics
 * `organizations` and `members`.
 *
 * @param touches - further topics of the app whose results depend on who belongs where
 * @example
 * ```ts
 * const cache = createQueryCache<'members' | 'organizations' | 'projects'>(client, 'app');
 * const { useOrganization, useMembers } = createOrganizationHooks(client, cache, ['projects']);
 * ```
 */
export function createOrganizationHooks<Role extends string>(
  client: OrganizationsClient<Role>,
  cache: OrganizationsCache,
  touches: readonly string[] = [],
): OrganizationHooks<Role> {
  const { organizations } = client.entities;
  const tenants = cache.query(['organizations'], (_: void, options) => client.auth.tenants.list(options));
  const members = cache.pages(['members'], ({ id, search }: MembersOf, after, options) =>
    listMembers<Role>(organizations, { id, search, after }, options),
  );
  // A cache knows the topics of its app, of which the hooks know two.
  const withTopics = (...own: readonly Topic[]): readonly Topic[] => [...own, ...touches] as readonly Topic[];
  const write = (call: () => Promise<ClientResult<unknown>>): Promise<ClientResult<unknown>> =>
    cache.write(call, { touches: withTopics('organizations', 'members') });
  /** Replaces the roles of a member, or removes them. Those of another one decide on nothing that the user may do. */
  const writeRole = (id: string, userId: string, role: Role | null): Promise<ClientResult<unknown>> => {
    const isOwn = userId === client.session.getSnapshot().user?.id;
    const update = (page: Pages<Member<Role>>, input: MembersOf) =>
      input.id === id ? withRole(page, userId, role) : page;
    return cache.write(() => organizations.setRole(id, { userId, role }, { keepsAccess: !isOwn }), {
      touches: isOwn ? withTopics('organizations', 'members') : withTopics('members'),
      change: () => [members.change((page, input) => update(page, input) ?? page)],
      merge: () => (isOwn ? [] : [members.merge(update)]),
    });
  };
  const useCurrentId = (): string | null => useSession(client).user?.tenantId ?? null;

  return {
    useOrganization() {
      const id = useCurrentId();
      const state = useQuery(tenants, undefined);
      return {
        ...state,
        current: state.data?.tenants.find((tenant) => tenant.id === id) ?? null,
        switchTo: (tenantId) => write(() => client.auth.tenants.switch({ tenantId })),
        leave: () => write(() => organizations.leave(id ?? '')),
      };
    },
    useMembers({ search = '' } = {}) {
      const id = useCurrentId() ?? '';
      return {
        ...useQuery(members, { id, search }),
        setRole: (userId, role) => writeRole(id, userId, role),
        remove: (userId) => writeRole(id, userId, null),
        transfer: (userId) => write(() => organizations.transfer(id, { userId })),
      };
    },
  };
}

interface MembersOf {
  readonly id: string;
  readonly search: string;
}

/**
 * Lists a member once, with their only role, or not at all; undefined if they may come in on any page, or the next page
 * is asked for by their old role.
 */
function withRole<Role extends string>(
  page: Pages<Member<Role>>,
  userId: string,
  role: Role | null,
): Pages<Member<Role>> | undefined {
  const listed = page.items.find((member) => member.userId === userId);
  const isLast = page.nextCursor !== null && page.items.at(-1)?.userId === userId;
  if (isLast || (!listed && role !== null)) return undefined;
  const items = page.items.flatMap((member) => {
    if (member.userId !== userId) return [member];
    return member === listed && role !== null ? [{ ...member, role }] : [];
  });
  return { ...page, items };
}

/** Reads a page of members. */
async function listMembers<Role extends string>(
  organizations: OrganizationCalls<Role>,
  { id, search, after }: MembersOf & { readonly after: string | null },
  options: Options,
): Promise<ClientResult<{ readonly items: readonly Member<Role>[]; readonly nextCursor: string | null }>> {
  const page = await organizations.members.get(
    id,
    { limit: 50, ...(search !== '' && { search }), ...(after !== null && { after }) },
    options,
  );
  if (!page.ok) return page;
  // With a limit, it is always a page, and the server knows no other roles.
  const data = page.data as { readonly items: readonly Member<Role>[]; readonly nextCursor: string | null };
  return { ok: true, value: data, data };
}
