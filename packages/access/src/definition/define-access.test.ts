import { ConfigurationError } from '@x/errors';
import { createMemoryStores } from '@x/store-memory';
import { expect, it } from 'vitest';
import { createAccessAdmin } from '../admin/create-access-admin.ts';
import { createAccessContext } from '../context/access-context.ts';
import { rules } from '../rule/rules.ts';
import { tracker, trackerModel } from '../testing/tracker.ts';
import type { AccessModel } from './access-model.ts';
import { compiledOf, defineAccess, type AccessDefinition } from './define-access.ts';

function problemsOf(model: unknown): readonly string[] {
  try {
    defineAccess(model as AccessModel);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

function folderOf(id: string) {
  return { type: 'folder', id } as const;
}

it('a definition is a frozen copy of its model', () => {
  const model = { entities: { team: { roles: ['lead'] } }, entitlements: { 'team:read': { roles: ['lead'] } } };
  const definition = defineAccess(model);
  model.entities.team.roles.push('boss');
  expect(definition).toEqual({
    entities: { team: { roles: ['lead'] } },
    entitlements: { 'team:read': { roles: ['lead'] } },
  });
  for (const part of [definition, definition.entities, definition.entities.team, definition.entities.team.roles]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
  expect(tracker).toEqual(trackerModel);
});

it('reports all problems together, each with its place', () => {
  const problems = problemsOf({
    entities: {
      team: { roles: ['lead', 'lead', 'te am'], parents: [] },
      'bad name': { roles: [] },
      task: {
        roles: ['editor'],
        inherits: { 'team:boss': 'editor', 'taem:lead': 'editor', 'team:lead': 'writer', team: 'editor' },
      },
      none: null,
      bare: {},
    },
    entitlements: {
      'team:read': { roles: ['boss'], plans: ['pro'] },
      'taem:read': { roles: [] },
      read: { roles: [] },
      'team:a:b': { roles: [] },
      'team:flagged': { roles: [], flags: ['on', 'on', 7] },
      'team:ruled': { roles: [], rules: rules.any(rules.entitlement('team:read'), { type: 'never' } as never) },
      'team:none': 'lead',
    },
    plan: {},
  });
  expect(problems).toEqual([
    'plan: unknown option, did you mean plans?',
    'entities.team.parents: unknown option; the known ones are roles, inherits.',
    'entities.team.roles: `lead` is listed twice.',
    "entities.team.roles: a role's name must start with a letter and contain only letters, digits and `_.-`: not `te am`.",
    "entities.bad name: a type's name must start with a letter and contain only letters, digits and `_.-`.",
    "entities.task.inherits['team:boss']: `team` has no role `boss`.",
    "entities.task.inherits['taem:lead']: there is no type `taem`.",
    "entities.task.inherits['team:lead']: `task` has no role `writer`.",
    "entities.task.inherits['team']: is not '<parent type>:<parent role>'.",
    'entities.none: must be an object.',
    'entities.bare.roles: must be a list.',
    "entitlements['team:read'].roles: `team` has no role `boss`.",
    "entitlements['team:read'].plans: there is no plan `pro`.",
    "entitlements['taem:read']: there is no type `taem`.",
    "entitlements['read']: is not '<type>:<action>'.",
    "entitlements['team:a:b']: is not '<type>:<action>'.",
    "entitlements['team:flagged'].flags: `on` is listed twice.",
    "entitlements['team:flagged'].flags: a flag's name must start with a letter and contain only letters, digits and `_.-`: not `7`.",
    "entitlements['team:ruled'].rules.any[1]: is not a rule.",
    "entitlements['team:ruled'].rules: the rules of an entitlement can't name an entitlement.",
    "entitlements['team:none']: must be an object.",
  ]);
});

it('reports all problems of plans, each with its place', () => {
  const limit = { gates: 'team:read', per: 'day', max: 5 };
  const problems = problemsOf({
    entities: { team: { roles: ['lead'] } },
    entitlements: { 'team:read': { roles: ['lead'] }, 'team:write': { roles: ['lead'], plans: ['pro', 'none'] } },
    plans: {
      'bad name': { group: 'base', features: [] },
      pro: {
        group: 'base',
        features: ['team:read', 'team:read', 'team:raed'],
        limits: {
          seats: { gates: 'team:raed', per: 'week', max: -2 },
          'team:read': limit,
          half: { ...limit, max: 0.5, often: true },
          huge: { ...limit, max: 2 ** 53 },
          text: { ...limit, max: '5' },
          none: null,
        },
      },
      plus: { group: 'b ase', features: 'all', requires: { group: 'base', plans: [] } },
      other: { group: 'other', features: [], limits: { shared: limit } },
      base: { group: 'base', features: [], limits: { shared: { ...limit, per: 'hour' }, alike: limit } },
      extra: { addOn: true, group: 'base', limits: { alike: { ...limit, gates: 'team:write' } } },
      more: { addOn: true, requires: { group: 'base', plans: ['other', 'gone'] } },
      most: { addOn: 'yes', requires: [] },
      nothing: 7,
    },
    defaultPlan: 'more',
  });
  expect(problems).toEqual([
    "entitlements['team:write'].plans: there is no plan `none`.",
    "plans.bad name: a plan's name must start with a letter and contain only letters, digits and `_.-`.",
    'plans.pro.features: `team:read` is listed twice.',
    'plans.pro.features: there is no entitlement `team:raed`, did you mean team:read?',
    'plans.pro.limits.seats.gates: there is no entitlement `team:raed`, did you mean team:read?',
    'plans.pro.limits.seats.per: must be one of hour, day, month, quarter, year.',
    'plans.pro.limits.seats.max: must be -1, 0 or a positive safe integer.',
    "plans.pro.limits.team:read: a limit's name must start with a letter and contain only letters, digits and `_.-`.",
    'plans.pro.limits.half.often: unknown option; the known ones are gates, per, max.',
    'plans.pro.limits.half.max: must be -1, 0 or a positive safe integer.',
    'plans.pro.limits.huge.max: must be -1, 0 or a positive safe integer.',
    'plans.pro.limits.text.max: must be -1, 0 or a positive safe integer.',
    'plans.pro.limits.none: must be an object.',
    'plans.plus.requires: unknown option; the known ones are group, features, limits, addOn.',
    "plans.plus.group: a group's name must start with a letter and contain only letters, digits and `_.-`.",
    'plans.plus.features: must be a list.',
    'plans.extra.group: unknown option; the known ones are addOn, features, limits, requires.',
    'plans.more.requires.plans: `other` is not a base plan of the group `base`.',
    'plans.more.requires.plans: `gone` is not a base plan of the group `base`.',
    'plans.most.addOn: must be true or false.',
    'plans.most.requires: must be an object.',
    'plans.nothing: must be an object.',
    'plans.base.limits.shared: must have the same group and `per` as in `other`.',
    'plans.extra.limits.alike: must gate the same entitlement as in `base`.',
    'defaultPlan: there is no base plan `more`.',
  ]);
});

it('a list of parents stands for their roles of the same names', async () => {
  const definition = defineAccess({
    entities: {
      space: { roles: ['owner', 'editor', 'guest'] },
      folder: { roles: ['editor', 'owner', 'viewer'], inherits: ['space', 'folder'] },
    },
    entitlements: { 'folder:own': { roles: ['owner'] }, 'folder:read': { roles: ['viewer', 'editor', 'owner'] } },
  });
  const stores = createMemoryStores();
  const [space, outer, inner] = [{ type: 'space', id: 's' } as const, folderOf('outer'), folderOf('inner')];
  await stores.hierarchy.attach({ child: outer, parent: space });
  await stores.hierarchy.attach({ child: inner, parent: outer });
  const admin = createAccessAdmin({ definition, stores });
  const operator = { by: null, tenantId: null };
  await admin.assign({ userId: 'ada', resource: space, role: 'owner' }, operator);
  await admin.assign({ userId: 'bob', resource: outer, role: 'viewer' }, operator);
  await admin.assign({ userId: 'eve', resource: space, role: 'guest' }, operator);
  const decide = (userId: string) => {
    const { roleAssignments: roleStore, hierarchy: closureStore } = stores;
    const access = createAccessContext({ userId, definition, roleStore, closureStore, orgResolver: () => 's' });
    return Promise.all([access.can('folder:own', inner), access.can('folder:read', inner)]);
  };
  expect(await decide('ada')).toEqual([true, true]);
  expect(await decide('bob')).toEqual([false, true]);
  expect(await decide('eve')).toEqual([false, false]);
});

it('a list of parents has types that share a role, none of them below it', () => {
  const entitlements = {};
  const roles = ['owner'];
  expect(
    problemsOf({
      entities: {
        team: { roles: ['lead'] },
        space: { roles },
        folder: { roles, inherits: ['team', 'spcae', 'space', 'space'] },
      },
      entitlements,
    }),
  ).toEqual([
    'entities.folder.inherits: `space` is listed twice.',
    'entities.folder.inherits: `team` has no role of the same name as one of `folder`.',
    'entities.folder.inherits: there is no type `spcae`, did you mean space?',
  ]);
  const circle = { space: { roles, inherits: ['folder'] }, folder: { roles, inherits: ['space'] } };
  expect(problemsOf({ entities: circle, entitlements })).toEqual([
    'entities: `space` inherits from `folder` inherits from `space`, in a circle.',
  ]);
  // @ts-expect-error: there is no such type
  expect(() => defineAccess({ entities: { folder: { roles, inherits: ['spcae'] } }, entitlements })).toThrow(
    ConfigurationError,
  );
});

it('a plan without a group is of the group `base`, and needs no features', () => {
  const read = { roles: ['lead'] } as const;
  const limits = { members: { gates: 'team:add', max: 3 } } as const;
  const definition = defineAccess({
    entities: { team: { roles: ['lead'] } },
    entitlements: { 'team:add': read },
    plans: {
      free: { limits },
      pro: { group: 'base' },
      more: { addOn: true, requires: { group: 'base', plans: ['free'] } },
    },
  });
  const { basePlans } = compiledOf(definition).plans;
  expect(Array.from(basePlans.values(), ({ group, features }) => [group, features.size])).toEqual([
    ['base', 0],
    ['base', 0],
  ]);
});

it('a model may have a default plan only among its plans, and no plan is `free` by name alone', () => {
  const model = { entities: {}, entitlements: {} };
  expect(problemsOf({ ...model, defaultPlan: 'free' })).toEqual(['defaultPlan: there is no base plan `free`.']);
  expect(problemsOf({ ...model, plans: {}, defaultPlan: '__proto__' })).not.toEqual([]);
  expect(problemsOf({ ...model, plans: [] })).toEqual(['plans: must be an object.']);
  expect(problemsOf({ ...model, plans: { pro: { group: 'base', features: [] } } })).toEqual([]);
});

it('types may inherit from themselves and from each other in any order, but not in a circle', () => {
  const inherit = (...parents: readonly string[]): object => ({
    roles: ['r'],
    inherits: Object.fromEntries(parents.map((parent) => [`${parent}:r`, 'r'])),
  });
  const define = (entities: object): readonly string[] => problemsOf({ entities, entitlements: {} });
  expect(define({ low: inherit('high', 'low', 'side'), high: inherit('high'), side: inherit('high') })).toEqual([]);
  expect(define({ a: inherit('b'), b: inherit('c'), c: inherit('a', 'c'), d: inherit('a') })).toEqual([
    'entities: `a` inherits from `b` inherits from `c` inherits from `a`, in a circle.',
  ]);
});

it.for([undefined, null, 'model', 7, [], {}, { entities: [], entitlements: {} }, { entities: {} }])(
  '%j is no model',
  (model) => {
    expect(problemsOf(model)).not.toEqual([]);
  },
);

it.for(['__proto__', 'constructor.prototype', 'toString', 'hasOwnProperty'])('`%s` names nothing by itself', (name) => {
  const entities = JSON.parse(`{ "team": { "roles": ["lead"], "inherits": { "${name}:lead": "lead" } } }`) as object;
  const entitlements = JSON.parse(`{ "${name}:read": { "roles": ["lead"] } }`) as object;
  expect(problemsOf({ entities, entitlements })).toHaveLength(2);
});

it('refuses a definition that defineAccess did not create', () => {
  const forged: AccessDefinition = { entities: {}, entitlements: {} };
  const options = { roleStore: undefined as never, closureStore: undefined as never, orgResolver: () => null };
  expect(() => createAccessContext({ ...options, userId: 'ann', definition: forged })).toThrow(TypeError);
});
