import { type ConditionRow, matches, none, type Where } from '@x/store/where';
import { expect, it } from 'vitest';
import { compileRule } from './compile-rule.ts';
import { type AccessCheck, toAccessCheck } from '../outcome/access-check.ts';
import { evaluateRule, toRuleMeta } from './evaluate-rule.ts';
import { allowsAnonymous } from './predicate.ts';
import { type Rule, type RuleCaller, rules } from './rules.ts';
import { toWhere } from './to-where.ts';

const now = new Date('2026-01-01T12:00:00.000Z');
const before = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);

const model = {
  fields: new Set(['ownerId', 'tenantId', 'shared', 'note']),
  entitlements: new Set(['task:read', 'task:update']),
  resourceRoles: new Set(['editor']),
};

const anonymous: RuleCaller = { userId: null, tenantId: null, role: null, secondFactorAt: null };

/** The callers and their properties; an anonymous one has no role, even if other members say so. */
const callers: readonly (readonly [name: string, caller: RuleCaller])[] = [
  ['anonymous', anonymous],
  ['anonymous with remnants', { userId: null, tenantId: 't', role: 'admin', secondFactorAt: before(1) }],
  ['ann without a tenant', { ...anonymous, userId: 'ann', role: 'user' }],
  ['ann of t', { userId: 'ann', tenantId: 't', role: 'user', secondFactorAt: before(300) }],
  ['admin, too late', { userId: 'root', tenantId: 't', role: 'admin', secondFactorAt: before(300.001) }],
  ['ben, of the future', { userId: 'ben', tenantId: 'u', role: 'user', secondFactorAt: before(-5.001) }],
  ['ben, by a clock ahead', { userId: 'ben', tenantId: 'u', role: 'user', secondFactorAt: before(-5) }],
];

const rows: readonly ConditionRow[] = [
  { ownerId: 'ann', tenantId: 't', shared: true, note: null },
  { ownerId: 'ann', tenantId: null, shared: false, note: '' },
  { ownerId: null, tenantId: null, shared: null, note: null },
  { ownerId: 'ben', tenantId: 'u', shared: true, note: 'x' },
  { ownerId: 'ANN', tenantId: 'T', shared: false, note: null },
];

interface Granted {
  readonly entitlements: readonly string[];
  readonly roles: readonly string[];
}

const grants: readonly Granted[] = [
  { entitlements: [], roles: [] },
  { entitlements: ['task:read'], roles: [] },
  { entitlements: ['task:update'], roles: ['editor'] },
];

type Case = { readonly caller: RuleCaller; readonly row: ConditionRow; readonly granted: Granted };

/** Every rule that combines no others, with its meaning. */
const leaves: readonly (readonly [rule: Rule, holds: (given: Case) => boolean])[] = [
  [rules.public, () => true],
  [rules.authenticated(), ({ caller }) => caller.userId !== null],
  [rules.role('admin'), ({ caller }) => caller.userId !== null && caller.role === 'admin'],
  [rules.resourceRole('editor'), ({ caller, granted }) => caller.userId !== null && granted.roles.includes('editor')],
  [
    rules.any(rules.resourceRole('editor'), rules.role('admin')),
    ({ caller, granted }) => caller.userId !== null && (granted.roles.includes('editor') || caller.role === 'admin'),
  ],
  [
    rules.entitlement('task:read'),
    ({ caller, granted }) => caller.userId !== null && granted.entitlements.includes('task:read'),
  ],
  [
    rules.where({ ownerId: rules.user.id }),
    ({ caller, row }) => caller.userId !== null && row['ownerId'] === caller.userId,
  ],
  [
    rules.where({ tenantId: rules.user.tenantId }),
    ({ caller, row }) => caller.userId !== null && caller.tenantId !== null && row['tenantId'] === caller.tenantId,
  ],
  [rules.where({ shared: true }), ({ row }) => row['shared'] === true],
  [rules.where({ note: null, shared: false }), ({ row }) => row['note'] === null && row['shared'] === false],
  [
    rules.fva(300),
    ({ caller }) => {
      if (caller.userId === null || caller.secondFactorAt === null) return false;
      const age = (now.getTime() - caller.secondFactorAt.getTime()) / 1000;
      return age >= -5 && age <= 300;
    },
  ],
];

/** Each leaf, each pair by `all` and by `any`, and pairs of those with a third. */
const table: readonly (readonly [rule: Rule, holds: (given: Case) => boolean])[] = [
  ...leaves,
  ...leaves.flatMap(([first, holdsFirst], at) =>
    leaves.flatMap(([second, holdsSecond], other): typeof leaves => {
      const [third, holdsThird] = leaves[(at + other) % leaves.length] ?? [rules.public, () => true];
      const [and, or] = [rules.all(first, second), rules.any(first, second)];
      const both = (given: Case): boolean => holdsFirst(given) && holdsSecond(given);
      const either = (given: Case): boolean => holdsFirst(given) || holdsSecond(given);
      return [
        [and, both],
        [or, either],
        [rules.any(and, third), (given) => both(given) || holdsThird(given)],
        [rules.all(or, third), (given) => either(given) && holdsThird(given)],
      ];
    }),
  ),
];

const toConstant = (value: boolean): Where => ({ type: 'constant', value });

it('every combination of rules follows from the meaning of its parts, in memory and as a condition', () => {
  let decided = 0;
  for (const [rule, holds] of table) {
    const predicate = compileRule(rule, model, 'rule');
    for (const [name, caller] of callers) {
      for (const granted of grants) {
        const where = toWhere(predicate, {
          caller,
          now,
          whereEntitled: (entitlement) => toConstant(granted.entitlements.includes(entitlement)),
          whereRole: (roles) => toConstant(roles.some((role) => granted.roles.includes(role))),
        });
        for (const row of rows) {
          const expected = holds({ caller, row, granted });
          const decision = evaluateRule(predicate, {
            caller,
            now,
            row,
            isEntitled: (entitlement) => granted.entitlements.includes(entitlement),
            hasRole: (roles) => roles.some((role) => granted.roles.includes(role)),
          });
          const words = `${JSON.stringify(predicate)} for ${name}, ${JSON.stringify({ row, granted })}`;
          expect(decision.allowed, words).toBe(expected);
          expect(decision.allowed && (decision.isRowRefused || decision.reasons.length > 0), words).toBe(false);
          expect(matches(where, row), words).toBe(expected);
          decided += 1;
        }
      }
    }
  }
  expect(decided).toBe(table.length * callers.length * grants.length * rows.length);
});

it('a rule allows anonymous callers if some row satisfies it for one', () => {
  const granted = { entitlements: ['task:read'], roles: ['editor'] };
  const someRow = (holds: (given: Case) => boolean): boolean =>
    rows.some((row) => holds({ caller: anonymous, row, granted }));
  const admits = (rule: Rule): boolean => allowsAnonymous(compileRule(rule, model, 'rule'));
  for (const [rule, holds] of leaves) expect(admits(rule), JSON.stringify(rule)).toBe(someRow(holds));
  const shutOut = table.filter(([rule, holds]) => someRow(holds) && !admits(rule));
  expect(shutOut.map(([rule]) => rule)).toEqual([]);
  expect(admits(rules.all(rules.where({ shared: true }), rules.authenticated()))).toBe(false);
});

it('an unknown value of the caller never matches a null field', () => {
  const rule = rules.where({ ownerId: rules.user.id, tenantId: rules.user.tenantId });
  const predicate = compileRule(rule, model, 'rule');
  for (const caller of [anonymous, { ...anonymous, userId: 'ann' }, { ...anonymous, tenantId: 't' }]) {
    const where = toWhere(predicate, {
      caller,
      now,
      whereEntitled: () => toConstant(true),
      whereRole: () => toConstant(true),
    });
    expect(where).toEqual(none);
  }
});

it('a decision contains the reasons, and whether the row alone refuses it', () => {
  const facts = { now, isEntitled: () => false, hasRole: () => false };
  const [row] = rows;
  const [, late] = callers[4] ?? ['', anonymous];
  const decide = (rule: Rule, caller: RuleCaller): unknown =>
    evaluateRule(compileRule(rule, model, 'rule'), { ...facts, caller, row: row ?? null });
  expect(decide(rules.all(rules.fva(300), rules.resourceRole('editor')), late)).toEqual({
    allowed: false,
    isRowRefused: false,
    reasons: ['role_required', 'step_up_required'],
  });
  expect(decide(rules.all(rules.where({ shared: false }), rules.fva(300)), late)).toEqual({
    allowed: false,
    isRowRefused: true,
    reasons: ['step_up_required'],
  });
  expect(decide(rules.any(rules.where({ shared: false }), rules.entitlement('task:read')), anonymous)).toEqual({
    allowed: false,
    isRowRefused: false,
    reasons: ['not_authenticated'],
  });
});

it('without a record, conditions on its fields are not satisfied, and others can be', () => {
  const decide = (rule: Rule): boolean => {
    const caller = { ...anonymous, userId: 'ann' };
    const facts = { caller, now, row: null, isEntitled: () => true, hasRole: () => true };
    return evaluateRule(compileRule(rule, model, 'rule'), facts).allowed;
  };
  expect(decide(rules.where({ shared: true }))).toBe(false);
  expect(decide(rules.where({ note: null }))).toBe(false);
  expect(decide(rules.any(rules.where({ note: null }), rules.authenticated()))).toBe(true);
});

const elsewhere: AccessCheck = toAccessCheck([{ reasons: ['hierarchy_denied'], meta: { requiredRoles: ['viewer'] } }]);
const lacking: AccessCheck = toAccessCheck([{ reasons: ['role_required'], meta: { requiredRoles: ['manager'] } }]);

it.for([[[elsewhere, lacking]], [[lacking, elsewhere]]])(
  'a denial by two entitlements explains the reason that it reports',
  ([checks]) => {
    const predicate = compileRule(rules.fva(300), model, 'rule');
    expect(toRuleMeta(predicate, ['role_required', 'hierarchy_denied'], checks)).toEqual({
      requiredRoles: ['manager'],
    });
    expect(toRuleMeta(predicate, ['role_required', 'step_up_required'], checks)).toEqual({
      requiredRoles: ['manager'],
      maxAge: 300,
    });
  },
);

it.for([[[0, 1]], [[1, 0]]])('a denial by two layers explains the reason that it reports', ([order = []]) => {
  const denials = [
    { reasons: ['step_up_required'], meta: { maxAge: 60, disabledFlags: [] } },
    { reasons: ['flag_disabled'], meta: { disabledFlags: ['beta'] } },
  ] as const;
  expect(toAccessCheck(order.map((at) => denials[at] ?? null))).toEqual({
    allowed: false,
    reason: 'flag_disabled',
    reasons: ['flag_disabled', 'step_up_required'],
    meta: { disabledFlags: ['beta'], maxAge: 60 },
  });
});
