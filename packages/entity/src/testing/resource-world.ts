import { type AccessDefinition, defineAccess, type Rule, type RuleCaller, rules } from '@x/access';
import fc from 'fast-check';
import { isSatisfied, type Leaf } from './naive-decision.ts';

const model = {
  entities: {
    organization: { roles: ['owner', 'member'] },
    project: {
      roles: ['manager', 'viewer'],
      inherits: { 'organization:owner': 'manager', 'organization:member': 'viewer' },
    },
    task: { roles: ['editor', 'reader'], inherits: { 'project:manager': 'editor', 'project:viewer': 'reader' } },
  },
  entitlements: {
    'project:see': { roles: ['manager', 'viewer'] },
    'project:run': { roles: ['manager'] },
    'task:read': { roles: ['editor', 'reader'] },
    'task:edit': { roles: ['editor'] },
    'task:any': { roles: [] },
  },
  plans: { free: { group: 'base', features: ['task:read'] }, nothing: { group: 'base', features: [] } },
} as const;

/** Tasks below projects below organizations; reading requires the fallback plan. */
export const worldDefinition: AccessDefinition<typeof model> = defineAccess(model);

/** A generated task: the number of its project, and the fields that conditions use. */
interface WorldTask {
  readonly project: number;
  readonly ownerId: string;
  readonly shared: boolean;
}

/** A role that the caller has. */
interface WorldRole {
  readonly type: 'organization' | 'project' | 'task';
  readonly at: number;
  readonly role: string;
}

/** Two organizations, three projects and some tasks, with a caller and rules. */
export interface ResourceWorld {
  readonly caller: RuleCaller;
  /** The organization of each project. */
  readonly organizations: readonly number[];
  readonly tasks: readonly WorldTask[];
  readonly roles: readonly WorldRole[];
  /** Whether each organization has a plan that includes nothing. */
  readonly suspended: readonly boolean[];
  readonly reading: Rule;
  readonly rule: Rule;
  /** Who may read and write whether a task is shared; null if the rules of the task decide. */
  readonly seeing: Rule | null;
  readonly choosing: Rule | null;
}

/** How many tasks a world has. */
const tasksEach = 6;

const task: fc.Arbitrary<WorldTask> = fc.record({
  project: fc.nat(2),
  ownerId: fc.constantFrom('ada', 'bob'),
  shared: fc.boolean(),
});

const role: fc.Arbitrary<WorldRole> = fc.oneof(
  fc.record({
    type: fc.constant('organization' as const),
    at: fc.nat(1),
    role: fc.constantFrom('owner', 'member', 'other'),
  }),
  fc.record({ type: fc.constant('project' as const), at: fc.nat(2), role: fc.constantFrom('manager', 'viewer') }),
  fc.record({
    type: fc.constant('task' as const),
    at: fc.nat(tasksEach - 1),
    role: fc.constantFrom('editor', 'reader'),
  }),
);

const leaf: fc.Arbitrary<Rule> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...['project:see', 'project:run', 'task:read', 'task:edit', 'task:any'].map((name) => rules.entitlement(name)),
      rules.resourceRole('editor'),
      rules.resourceRole('editor', 'reader'),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      rules.public,
      rules.authenticated(),
      rules.role('admin'),
      rules.where({ ownerId: rules.user.id }),
      rules.where({ shared: true }),
    ),
  },
);

const rule: fc.Arbitrary<Rule> = fc.letrec<{ rule: Rule }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    { weight: 2, arbitrary: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((all) => rules.all(...all)) },
    { weight: 2, arbitrary: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((any) => rules.any(...any)) },
  ),
})).rule;

const anonymous: RuleCaller = { userId: null, tenantId: null, role: null, secondFactorAt: null };

/** Generates worlds. */
export const anyResourceWorld: fc.Arbitrary<ResourceWorld> = fc.record({
  caller: fc.oneof(
    {
      weight: 7,
      arbitrary: fc.constantFrom('admin', 'user').map((account) => ({ ...anonymous, userId: 'ada', role: account })),
    },
    { weight: 1, arbitrary: fc.constant(anonymous) },
  ),
  organizations: fc.array(fc.nat(1), { minLength: 3, maxLength: 3 }),
  tasks: fc.array(task, { minLength: tasksEach, maxLength: tasksEach }),
  roles: fc.array(role, { maxLength: 4 }),
  suspended: fc.tuple(fc.boolean(), fc.boolean()),
  reading: rule,
  rule,
  seeing: fc.option(rule),
  choosing: fc.option(rule),
});

/** A task, by its number; null for one that does not exist yet. */
export interface WorldSubject {
  readonly number: number | null;
  readonly task: WorldTask;
}

/** Says whether the caller satisfies a rule on a task, by a literal reading of the rule. */
export function isSatisfiedOn(world: ResourceWorld, rule: Rule, subject: WorldSubject): boolean {
  return isSatisfied(
    rule,
    (conditions) => isTrueOf(conditions, world.caller, subject.task),
    (each) => isGranted(each, world, subject),
  );
}

/** Says whether they would satisfy it if they had all roles and plans. */
export function couldBeSatisfiedOn(world: ResourceWorld, rule: Rule, { task: row }: WorldSubject): boolean {
  return isSatisfied(
    rule,
    (conditions) => isTrueOf(conditions, world.caller, row),
    () => true,
  );
}

/** Says how a caller is refused to write a field of a task, or that they are not. */
export function choiceOn(world: ResourceWorld, subject: WorldSubject): 401 | 403 | null {
  const { choosing, caller } = world;
  if (choosing === null || isSatisfiedOn(world, choosing, subject)) return null;
  if (caller.userId !== null) return 403;
  return refusalOfCaller(world, choosing) ?? (couldBeSatisfiedOn(world, choosing, subject) ? 401 : 403);
}

/** Returns the refusal that no record could change: 401, 403, or null. */
export function refusalOfCaller({ caller }: ResourceWorld, rule: Rule): 401 | 403 | null {
  const isForAll = isSatisfied(
    rule,
    (conditions) => 'shared' in conditions,
    ({ type }) => type === 'public',
  );
  if (caller.userId === null) return isForAll ? null : 401;
  const isAdmin = (each: Leaf): boolean => each.type !== 'role' || caller.role === 'admin';
  return isSatisfied(rule, () => true, isAdmin) ? null : 403;
}

/** Says whether the caller may see a project. */
export function seesProject(world: ResourceWorld, project: number): boolean {
  return world.caller.userId !== null && rolesOnProject(world, project).size > 0;
}

function isTrueOf(conditions: object, { userId }: RuleCaller, { ownerId, shared }: WorldTask): boolean {
  return 'shared' in conditions ? shared : userId === ownerId;
}

function isGranted(each: Leaf, world: ResourceWorld, { number, task: row }: WorldSubject): boolean {
  if (each.type === 'public') return true;
  if (world.caller.userId === null) return false;
  const onTask = rolesOnTask(world, number, row.project);
  switch (each.type) {
    case 'role':
      return world.caller.role === 'admin';
    case 'resourceRole':
      return number !== null && each.roles.some((name) => onTask.has(name));
    case 'entitlement':
      return isEntitled(each.entitlement, world, { onTask, project: row.project });
    default:
      return true;
  }
}

function isEntitled(
  name: string,
  world: ResourceWorld,
  { onTask, project }: { readonly onTask: ReadonlySet<string>; readonly project: number },
): boolean {
  switch (name) {
    case 'task:any':
      return true;
    case 'task:read':
      return onTask.size > 0 && !world.suspended[world.organizations[project] ?? 0];
    case 'task:edit':
      return onTask.has('editor');
    case 'project:see':
      return rolesOnProject(world, project).size > 0;
    default:
      return rolesOnProject(world, project).has('manager');
  }
}

function rolesOnTask(world: ResourceWorld, number: number | null, project: number): ReadonlySet<string> {
  const above = rolesOnProject(world, project);
  const inherited = [...(above.has('manager') ? ['editor'] : []), ...(above.has('viewer') ? ['reader'] : [])];
  return new Set([...inherited, ...(number === null ? [] : directRoles(world, 'task', number))]);
}

function rolesOnProject(world: ResourceWorld, project: number): ReadonlySet<string> {
  const above = directRoles(world, 'organization', world.organizations[project] ?? 0);
  const inherited = [...(above.includes('owner') ? ['manager'] : []), ...(above.includes('member') ? ['viewer'] : [])];
  return new Set([...inherited, ...directRoles(world, 'project', project)]);
}

function directRoles({ roles }: ResourceWorld, type: WorldRole['type'], at: number): readonly string[] {
  return roles.filter((each) => each.type === type && each.at === at).map((each) => each.role);
}
