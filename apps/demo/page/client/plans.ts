import type { ClientResult } from '@x/client';
import type { Merge } from '@x/client/cache';
import { cache, client } from './client.ts';

/** The plan of an organization, and how much of its limits is used. */
export const plans = cache.query(['plan'], (organizationId: string, options) =>
  client.entities.organizations.plan.get(organizationId, options),
);

/** The plans, the smallest first. */
export const planNames = ['free', 'pro', 'enterprise'] as const;

/** The name of a plan. */
export type PlanName = (typeof planNames)[number];

/** The present state of a plan. */
type PlanState = NonNullable<ReturnType<ReturnType<typeof plans.at>['getSnapshot']>['data']>;

/** Puts the organization on a plan, upon which all that its members may do can change. */
export function changePlan(organizationId: string, plan: PlanName) {
  const { organizations } = client.entities;
  return writePlan(organizationId, () => organizations.plan(organizationId, { plan }, { keepsAccess: true }));
}

/** Attaches the add-on to the plan of the organization, or detaches it. */
export function changeAddOn(organizationId: string, attach: boolean) {
  const { organizations } = client.entities;
  const input = { addOn: 'extra-exports', attach } as const;
  return writePlan(organizationId, () => organizations.addOns(organizationId, input, { keepsAccess: true }));
}

/** The version of the access set that the last write of a plan here has brought; null if others have a part in it. */
let brought: Promise<string | null | undefined> = Promise.resolve(null);

/** Says whether an access set is known here with all that it changes, because a write of a plan here has brought it. */
export async function isOwnAccess(hash: string | undefined): Promise<boolean> {
  return (await brought) === `"${hash}"`;
}

function writePlan(organizationId: string, call: () => Promise<ClientResult<PlanState>>) {
  const writing = cache.write(call, {
    touches: ['plan', 'projects'],
    merge: ({ data }) => [mergePlan(organizationId, () => data)],
  });
  brought = writing.then(async (written) => {
    if (!written.ok) return null;
    await client.access.refresh();
    const { etag, plans: present } = client.access.getSnapshot();
    return present['base'] === written.data.plan ? etag : null;
  });
  return writing;
}

/** Counts a project that was created; undefined where it may have begun a new period, or is not counted. */
export function consumeProject(project: { readonly organizationId: string; readonly createdAt: string }): Merge {
  return mergePlan(project.organizationId, (state) => {
    const limit = state.limits.find(({ key }) => key === 'projects');
    if (!limit || limit.max === -1 || (limit.resetsAt !== null && limit.resetsAt <= project.createdAt))
      return undefined;
    const counted = { ...limit, consumed: limit.consumed + 1, remaining: limit.max - limit.consumed - 1 };
    return { ...state, limits: state.limits.map((each) => (each === limit ? counted : each)) };
  });
}

function mergePlan(organizationId: string, update: (state: PlanState) => PlanState | undefined): Merge {
  return plans.merge((state, id) => (id === organizationId ? update(state) : state));
}
