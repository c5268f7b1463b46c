import { expect, it } from 'vitest';
import { compileRule } from './compile-rule.ts';
import { type Rule, rules } from './rules.ts';

const model = {
  fields: new Set(['ownerId', 'shared']),
  entitlements: new Set(['task:read']),
  resourceRoles: new Set(['owner', 'admin']),
};

const compile = (rule: Rule): ReturnType<typeof compileRule> => compileRule(rule, model, 'tasks.access.update');

it('a rule becomes as flat a tree as it can be, frozen', () => {
  const own = rules.where({ ownerId: rules.user.id, shared: true });
  const predicate = compile(rules.all(rules.public, rules.all(own, rules.all(rules.fva(60)))));
  expect(predicate).toEqual({
    type: 'and',
    operands: [
      { type: 'equals', field: 'ownerId', value: { placeholder: 'user.id' } },
      { type: 'equals', field: 'shared', value: true },
      { type: 'fva', maxAgeSeconds: 60 },
    ],
  });
  expect(Object.isFrozen(predicate)).toBe(true);
  expect(compile(rules.any(own, rules.public))).toEqual({ type: 'constant', value: true });
  expect(compile(rules.all(rules.public))).toEqual({ type: 'constant', value: true });
});

it('a role is one of the account or one on the record, and never either', () => {
  expect(compile(rules.resourceRole('owner'))).toEqual({ type: 'resourceRole', roles: ['owner'] });
  expect(compile(rules.accountRole('owner'))).toEqual({ type: 'accountRole', roles: ['owner'] });
  expect(compile(rules.role('support', 'guest'))).toEqual({ type: 'accountRole', roles: ['support', 'guest'] });
  expect(() => compile(rules.role('support', 'admin'))).toThrow(
    'names the role `admin`, which the type of the record has, too; say rules.resourceRole or rules.accountRole',
  );
  expect(() => compile(rules.resourceRole('ower'))).toThrow(
    'names the resource role `ower`, which the type of the record does not have, did you mean owner?',
  );
});

it('a rule that went through JSON is the same rule', () => {
  const rule = rules.any(rules.where({ ownerId: rules.user.id }), rules.entitlement('task:read'));
  expect(compile(JSON.parse(JSON.stringify(rule)) as Rule)).toEqual(compile(rule));
});

it('all problems of a rule are reported together, each with its place', () => {
  const rule = rules.all(
    rules.any(rules.where({ ownerID: rules.user.id }), rules.entitlement('task:raed')),
    { type: 'fva', maxAgeSeconds: -1 },
    { type: 'where', conditions: { shared: { placeholder: 'user.role' } as never } },
    { type: 'any', rules: [] },
    { type: 'role', roles: [] },
    { type: 'constructor' } as never,
    null as never,
  );
  expect(() => compile(rule)).toThrow(
    [
      'The configuration is not valid:',
      '  - tasks.access.update.all[0].any[0]: has a condition on `ownerID`, which is not a field, did you mean ownerId?',
      '  - tasks.access.update.all[0].any[1]: names the entitlement `task:raed`, which no access `definition` declares, did you mean task:read?',
      '  - tasks.access.update.all[1]: has an fva with a maximum age that is not above 0.',
      '  - tasks.access.update.all[2]: compares `shared` with something that is neither text, number, boolean nor null.',
      '  - tasks.access.update.all[3]: has an any without rules.',
      '  - tasks.access.update.all[4]: has a rule of type role without roles.',
      '  - tasks.access.update.all[5]: is not a rule.',
      '  - tasks.access.update.all[6]: is not a rule.',
    ].join('\n'),
  );
});
