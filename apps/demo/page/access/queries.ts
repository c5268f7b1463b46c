import type { AccessTrace } from '@x/access';
import type { AccessCheck } from '@x/access/access-set';
import { cache, client, type Resource } from '../client/client.ts';
import type { Entitlement } from '../form/verdict.tsx';
import { entitlementsOf } from './model.ts';

type RequestOptions = Parameters<typeof client.services.access.who>[1];

/** A question to the server. */
export interface Question {
  /** Another person; null for the visitor. */
  readonly person: string | null;
  readonly entitlement: Entitlement;
  readonly resource: Resource;
}

/** Asks the server why a person may do something, or why not. */
export const traces = cache.query(
  ['members', 'plan', 'projects', 'roles', 'tasks'],
  ({ person, ...question }: Question, options) =>
    client.request<AccessTrace>('/api/access/explain', {
      ...options,
      method: 'POST',
      body: { ...question, ...(person !== null && { userId: person }) },
    }),
);

/** What the visitor may do with a resource, by entitlement, and whether they manage it: who does may ask of others. */
export const ownMarks = cache.query(
  ['members', 'plan', 'projects', 'roles', 'tasks'],
  async (resource: Resource, options) => {
    const names = entitlementsOf(resource.type);
    const managed = await findManaged(resource, options);
    if (!managed.ok) return managed;
    const checks = [
      ...names.map((entitlement) => ({ entitlement, resource })),
      ...managed.data.map((each) => ({ entitlement: managing[each.type], resource: each })),
    ];
    const answer = await client.request<{ readonly results: readonly AccessCheck[] }>('/api/access/check', {
      ...options,
      method: 'POST',
      body: { checks },
    });
    if (!answer.ok) return answer;
    const { results } = answer.data;
    const data = {
      allowed: names.filter((_, index) => results[index]?.allowed),
      isManager: results[names.length]?.allowed === true,
    };
    return { ok: true, value: data, data } as const;
  },
);

/** Which entitlement manages a resource; what is not listed is managed through what is above it, as on the server. */
const managing: Readonly<Record<string, Entitlement>> = {
  organization: 'organization:manage',
  project: 'project:update',
};

/** Finds what a resource is managed through: itself, or what is above it, which a trace tells; none if it is unseen. */
async function findManaged(resource: Resource, options: RequestOptions) {
  if (Object.hasOwn(managing, resource.type)) return { ok: true, data: [resource] } as const;
  const trace = await client.request<AccessTrace>('/api/access/explain', {
    ...options,
    method: 'POST',
    body: { entitlement: `${resource.type}:read`, resource },
  });
  if (!trace.ok) return trace;
  const above = trace.data.ancestors.map((each) => each.resource);
  return { ok: true, data: above.filter(({ type }) => Object.hasOwn(managing, type)).slice(0, 1) } as const;
}

/** The people who may do something, by entitlement, each with the way by which they get the role. */
export const holders = cache.query(
  ['members', 'plan', 'projects', 'roles', 'tasks'],
  async (resource: Resource, options) => {
    const names = entitlementsOf(resource.type);
    const lists = await Promise.all(names.map((entitlement) => listHolders(entitlement, resource, options)));
    const failed = lists.find((list) => !list.ok);
    if (failed && !failed.ok) return failed;
    const data: Holders = new Map(names.map((name, index) => [name, lists[index]?.ok ? lists[index].data : none]));
    return { ok: true, value: data, data } as const;
  },
);

/** A person who has an entitlement. */
interface Holder {
  /** Null for members of an organization that the visitor does not belong to. */
  readonly email: string | null;
  /** How they get the role: from what was given, down to the resource. */
  readonly way: readonly { readonly resource: Resource; readonly role: string }[];
}

/** By entitlement and by the id of the user. */
type Holders = ReadonlyMap<string, ReadonlyMap<string, Holder>>;

const none: ReadonlyMap<string, Holder> = new Map();

async function listHolders(entitlement: Entitlement, resource: Resource, options: RequestOptions) {
  const found = new Map<string, Holder>();
  const pageAfter = (after: string | null) =>
    client.services.access.who({ entitlement, resource, limit: 100, after }, options);
  for (let after: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof pageAfter>> = await pageAfter(after);
    if (!page.ok) return page;
    for (const { userId, ...holder } of page.data.items) found.set(userId, holder);
    after = page.data.nextCursor;
    if (after === null) return { ok: true, value: found, data: found } as const;
  }
}
