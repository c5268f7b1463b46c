import type { definition } from '../../src/access/definition.ts';

type Definition = typeof definition;
type Entitlements = Definition['entitlements'];

/**
 * The roles and plans of the server's definition, which the page shows beside each other; a test compares the two. The
 * definition itself would bring the engine along.
 */
export const entitlements: { readonly [Name in keyof Entitlements]: readonly string[] } = {
  'organization:read': ['owner', 'admin', 'member'],
  'organization:manage': ['owner', 'admin'],
  'organization:invite': ['owner', 'admin'],
  'organization:create-project': ['owner', 'admin'],
  'project:read': ['manager', 'contributor', 'viewer'],
  'project:update': ['manager'],
  'project:delete': ['manager'],
  'project:create-task': ['manager', 'contributor'],
  'project:export': ['manager'],
  'task:read': ['editor', 'viewer'],
  'task:update': ['editor'],
  'task:delete': ['editor'],
  'report:read': ['analyst'],
};

/** The names of the entitlements. */
export const entitlementNames = Object.keys(entitlements) as readonly (keyof Entitlements)[];

/** The roles on each kind of resource. */
export const roles: { readonly [Type in keyof Definition['entities']]: readonly string[] } = {
  organization: ['owner', 'admin', 'member'],
  project: ['manager', 'contributor', 'viewer'],
  task: ['editor', 'viewer'],
  report: ['analyst'],
};

/** The limits of each plan, and their periods; an entitlement that is missing is not limited. */
export const planLimits: Readonly<
  Record<'free' | 'pro' | 'enterprise', Readonly<Record<string, { readonly max: number; readonly per: string }>>>
> = {
  free: { projects: { max: 3, per: 'month' }, tasks: { max: 50, per: 'day' } },
  pro: { projects: { max: 100, per: 'month' }, tasks: { max: 1000, per: 'day' }, exports: { max: 5, per: 'day' } },
  enterprise: { exports: { max: 100, per: 'day' } },
};
