/** One organization of a world, before it is made. The first user in `roles` makes it. */
export interface WorldOrganization {
  readonly plan: 'free' | 'pro' | 'enterprise';
  /** The role of each user on it. */
  readonly roles: readonly (string | null)[];
  readonly projects: readonly {
    /** The role that each user is given on the project itself. */
    readonly shares: readonly (string | null)[];
  }[];
}

/** Something that entitlements are asked on: an organization, a project of it, or the one task of the project. */
export interface Place {
  readonly type: 'organization' | 'project' | 'task';
  readonly id: string;
  readonly organization: WorldOrganization;
  /** Which project it is, or is in. */
  readonly project?: number;
}

/** The answer to a question. */
export interface Verdict {
  readonly allowed: boolean;
  readonly reasons: readonly string[];
}

// All below is demo.md, line by line, and knows nothing of how it is decided.

const becomes: Readonly<Record<string, string>> = {
  'organization owner': 'manager',
  'organization admin': 'manager',
  'organization member': 'viewer',
  'project manager': 'editor',
  'project contributor': 'editor',
  'project viewer': 'viewer',
};

const below: Readonly<Record<string, string>> = { organization: 'project', project: 'task' };

const roles: Readonly<Record<string, readonly string[]>> = {
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
};

/** Every entitlement but that of reports, which have no records. */
export const entitlements: readonly string[] = Object.keys(roles);

const projectsPerMonth: Readonly<Record<string, number>> = { free: 3, pro: 100, enterprise: Infinity };

/** Lists the roles of a user on a place: those given there, and the roles that those above become there. */
function rolesOn(user: number, { type, organization, project }: Place): readonly string[] {
  const onOrganization = [organization.roles[user] ?? null].filter((role) => role !== null);
  if (type === 'organization') return onOrganization;
  const shared = organization.projects[project ?? 0]?.shares[user] ?? null;
  const onProject = [
    ...(shared === null ? [] : [shared]),
    ...onOrganization.map((role) => becomes[`organization ${role}`]),
  ];
  const granted = onProject.filter((role) => role !== undefined);
  return type === 'project' ? granted : granted.flatMap((role) => becomes[`project ${role}`] ?? []);
}

/** Says whether a user has a role that is enough for an entitlement on a place, whose roles reach down to its type. */
function hasRole(user: number, entitlement: string, place: Place): boolean {
  const wanted = entitlement.slice(0, entitlement.indexOf(':'));
  let [type, granted]: [string, readonly string[]] = [place.type, rolesOn(user, place)];
  while (type !== wanted) {
    const next = below[type];
    if (next === undefined) return false;
    granted = granted.flatMap((role) => becomes[`${type} ${role}`] ?? []);
    type = next;
  }
  return granted.some((role) => roles[entitlement]?.includes(role));
}

/** Says whether a user sees a place at all. */
export function sees(user: number, place: Place): boolean {
  return hasRole(user, `${place.type}:read`, place);
}

/**
 * Everybody owns a workspace, and so has any role somewhere, from where no path leads to a place on which they have
 * none. An entitlement never reaches up.
 */
function roleReason(user: number, entitlement: string, place: Place): string {
  const order = ['organization', 'project', 'task'];
  const reaches = order.indexOf(place.type) <= order.indexOf(entitlement.slice(0, entitlement.indexOf(':')));
  return reaches && rolesOn(user, place).length === 0 ? 'hierarchy_denied' : 'role_required';
}

/** Decides what a user may do at a place. */
export function verdictOn(user: number, entitlement: string, place: Place): Verdict {
  const { plan, projects } = place.organization;
  const lacksRole = !hasRole(user, entitlement, place);
  const lacksPlan = entitlement === 'project:export' && plan === 'free';
  const isUsedUp = entitlement === 'organization:create-project' && projects.length >= (projectsPerMonth[plan] ?? 0);
  const reason = roleReason(user, entitlement, place);
  const all = [
    ...(lacksPlan ? ['plan_required'] : []),
    ...(lacksRole && reason === 'role_required' ? [reason] : []),
    ...(isUsedUp ? ['limit_reached'] : []),
    ...(lacksRole && reason === 'hierarchy_denied' ? [reason] : []),
  ];
  // A user who does not see it learns nothing of plans.
  const reasons = sees(user, place) ? all : all.filter((each) => each === reason);
  return { allowed: all.length === 0, reasons };
}
