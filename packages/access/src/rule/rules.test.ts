import { expect, it } from 'vitest';
import { rules } from './rules.ts';

it('rules are plain frozen data that JSON carries', () => {
  const rule = rules.any(
    rules.public,
    rules.all(
      rules.authenticated(),
      rules.role('admin', 'owner'),
      rules.entitlement('task:read'),
      rules.where({ ownerId: rules.user.id, tenantId: rules.user.tenantId, isDone: false, at: null }),
      rules.fva(300),
    ),
  );
  expect(JSON.parse(JSON.stringify(rule))).toEqual({
    type: 'any',
    rules: [
      { type: 'public' },
      {
        type: 'all',
        rules: [
          { type: 'authenticated' },
          { type: 'role', roles: ['admin', 'owner'] },
          { type: 'entitlement', entitlement: 'task:read' },
          {
            type: 'where',
            conditions: {
              ownerId: { placeholder: 'user.id' },
              tenantId: { placeholder: 'user.tenantId' },
              isDone: false,
              at: null,
            },
          },
          { type: 'fva', maxAgeSeconds: 300 },
        ],
      },
    ],
  });
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
  expect(frozen(rule)).toBe(true);
  expect(frozen(rules.user)).toBe(true);
});

it('later changes to the conditions change no rule', () => {
  const conditions = { ownerId: 'ann' };
  const rule = rules.where(conditions);
  conditions.ownerId = 'ben';
  expect(rule).toEqual({ type: 'where', conditions: { ownerId: 'ann' } });
});

it.for([
  ['all', () => rules.all()],
  ['any', () => rules.any()],
  ['role', () => rules.role()],
  ['accountRole', () => rules.accountRole()],
  ['resourceRole', () => rules.resourceRole()],
  ['where', () => rules.where({})],
  ['fva of 0', () => rules.fva(0)],
  ['fva of NaN', () => rules.fva(Number.NaN)],
  ['endless fva', () => rules.fva(Number.POSITIVE_INFINITY)],
] as const)('a rule that can mean nothing is refused: %s', ([, build]) => {
  expect(build).toThrow(TypeError);
});
