import { ConfigurationError } from '@x/errors';
import { expect, test } from 'vitest';
import { createAccessContext } from '../context/create-access-context.ts';
import { rules } from '../rule/rules.ts';
import { tracker, trackerModel } from '../testing/tracker.ts';
import type { AccessModel } from './access-model.ts';
import { defineAccess, type AccessDefinition } from './define-access.ts';

function problemsOf(model: unknown): readonly string[] {
  try {
    defineAccess(model as AccessModel);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

test('a definition is a frozen copy of its model', () => {
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

test('all problems are reported together, each with its place', () => {
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
    'model: `plan` means nothing here.',
    'entities.team: `parents` means nothing here.',
    'entities.team.roles: `lead` is there twice.',
    "entities.team.roles: a role's name has letters, digits and `_.-`, a letter first; `te am` has not.",
    "entities.bad name: a type's name has letters, digits and `_.-`, a letter first.",
    "entities.task.inherits['team:boss']: `team` has no role `boss`.",
    "entities.task.inherits['taem:lead']: there is no type `taem`.",
    "entities.task.inherits['team:lead']: `task` has no role `writer`.",
    "entities.task.inherits['team']: is not '<parent type>:<parent role>'.",
    'entities.none: is no object.',
    'entities.bare.roles: is no list.',
    "entitlements['team:read']: `plans` means nothing here.",
    "entitlements['team:read'].roles: `team` has no role `boss`.",
    "entitlements['taem:read']: there is no type `taem`.",
    "entitlements['read']: is not '<type>:<action>'.",
    "entitlements['team:a:b']: is not '<type>:<action>'.",
    "entitlements['team:flagged'].flags: `on` is there twice.",
    "entitlements['team:flagged'].flags: a flag's name has letters, digits and `_.-`, a letter first; `7` has not.",
    "entitlements['team:ruled'].rules.any[1]: is no rule.",
    "entitlements['team:ruled'].rules: the rules of an entitlement can't name an entitlement.",
    "entitlements['team:none']: is no object.",
  ]);
});

test('types may inherit from themselves and from each other in any order, but not in a circle', () => {
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

test.for([undefined, null, 'model', 7, [], {}, { entities: [], entitlements: {} }, { entities: {} }])(
  '%j is no model',
  (model) => {
    expect(problemsOf(model)).not.toEqual([]);
  },
);

test.for(['__proto__', 'constructor.prototype', 'toString', 'hasOwnProperty'])(
  '`%s` names nothing by itself',
  (name) => {
    const entities = JSON.parse(`{ "team": { "roles": ["lead"], "inherits": { "${name}:lead": "lead" } } }`) as object;
    const entitlements = JSON.parse(`{ "${name}:read": { "roles": ["lead"] } }`) as object;
    expect(problemsOf({ entities, entitlements })).toHaveLength(2);
  },
);

test('a definition that defineAccess did not make is refused', () => {
  const forged: AccessDefinition = { entities: {}, entitlements: {} };
  const options = { roleStore: undefined as never, closureStore: undefined as never, orgResolver: () => null };
  expect(() => createAccessContext({ ...options, userId: 'ann', definition: forged })).toThrow(TypeError);
});
