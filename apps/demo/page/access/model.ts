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

type EntitlementName = (typeof entitlementNames)[number];

/** What can be done with a kind of resource itself; reports have no records, so they are read in the organization. */
export function entitlementsOf(type: string): readonly EntitlementName[] {
  const prefixes = type === 'organization' ? ['organization', 'report'] : [type];
  return entitlementNames.filter((name) => prefixes.includes(toType(name)));
}

/** What a role on a kind of resource can allow: on it, and on everything below. */
export function entitlementsFrom(type: string): readonly EntitlementName[] {
  return entitlementNames.filter((name) => isBelow(toType(name), type));
}

function isBelow(type: string, above: string): boolean {
  const parents = Object.keys(inherits[type] ?? {}).map(toType);
  return type === above || parents.some((parent) => isBelow(parent, above));
}

function toType(name: string): string {
  return name.split(':', 1)[0] ?? '';
}

/** The roles on each kind of resource. */
export const roles: { readonly [Type in keyof Definition['entities']]: readonly string[] } = {
  organization: ['owner', 'admin', 'member'],
  project: ['manager', 'contributor', 'viewer'],
  task: ['editor', 'viewer'],
  report: ['analyst'],
};

/** Which roles on a kind of resource come from which roles on what is above it. */
export const inherits: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  organization: {},
  project: {
    'organization:owner': 'manager',
    'organization:admin': 'manager',
    'organization:member': 'viewer',
  },
  task: { 'project:manager': 'editor', 'project:contributor': 'editor', 'project:viewer': 'viewer' },
  report: { 'organization:owner': 'analyst', 'organization:admin': 'analyst' },
};

/** The plans that an entitlement comes with; one that is missing comes with each. */
export const plansOf: Readonly<Partial<Record<EntitlementName, readonly string[]>>> = {
  'project:export': ['pro', 'enterprise'],
  'report:read': ['enterprise'],
};

/** How often something may be done in a period. */
interface PlanLimit {
  readonly max: number;
  readonly per: string;
  /** The entitlement that it limits. */
  readonly gates: string;
}

const projects = { gates: 'organization:create-project', per: 'month' } as const;
const tasks = { gates: 'project:create-task', per: 'day' } as const;
const exports = { gates: 'project:export', per: 'day' } as const;

/** The limits of each plan; an entitlement that is missing is not limited. */
export const planLimits: Readonly<Record<'free' | 'pro' | 'enterprise', Readonly<Partial<Record<string, PlanLimit>>>>> =
  {
    free: { projects: { ...projects, max: 3 }, tasks: { ...tasks, max: 50 } },
    pro: { projects: { ...projects, max: 100 }, tasks: { ...tasks, max: 1000 }, exports: { ...exports, max: 5 } },
    enterprise: { exports: { ...exports, max: 100 } },
  };
