import { type Rule, type RuleCaller, rules } from '@x/access';
import fc from 'fast-check';

/** A row of the entity that generated rules refer to. */
export interface RuleRow {
  readonly ownerId: string | null;
  readonly tenantId: string | null;
  readonly shared: boolean | null;
  readonly level: number | null;
}

/** Generates rows, from few values, so that rules are often satisfied. */
export const anyRow: fc.Arbitrary<RuleRow> = fc.record({
  ownerId: fc.constantFrom('ada', 'bob', null),
  tenantId: fc.constantFrom('one', 'two', null),
  shared: fc.constantFrom(true, false, null),
  level: fc.constantFrom(1, 2, null),
});

const leaf: fc.Arbitrary<Rule> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(rules.public) },
  { weight: 2, arbitrary: fc.constant(rules.authenticated()) },
  { weight: 1, arbitrary: fc.constant(rules.role('admin', 'editor')) },
  { weight: 1, arbitrary: fc.constant(rules.fva(300)) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      rules.where({ ownerId: rules.user.id }),
      rules.where({ tenantId: rules.user.tenantId }),
      rules.where({ ownerId: rules.user.id, shared: true }),
      rules.where({ shared: true }),
      rules.where({ shared: false, level: 1 }),
      rules.where({ level: 2 }),
      rules.where({ ownerId: null }),
      rules.where({ tenantId: 'one' }),
    ),
  },
);

/** Generates rules, at most three levels deep. */
export const anyRule: fc.Arbitrary<Rule> = fc.letrec<{ rule: Rule }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 2, arbitrary: leaf },
    { weight: 2, arbitrary: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((all) => rules.all(...all)) },
    { weight: 2, arbitrary: fc.array(tie('rule'), { minLength: 1, maxLength: 3 }).map((any) => rules.any(...any)) },
  ),
})).rule;

/** Generates callers, including anonymous ones. */
export function anyCaller(now: Date): fc.Arbitrary<RuleCaller> {
  const secondsAgo = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);
  const user = fc.record({
    userId: fc.constantFrom('ada', 'bob'),
    tenantId: fc.constantFrom('one', 'two', null),
    role: fc.constantFrom('admin', 'user'),
    secondFactorAt: fc.constantFrom(null, secondsAgo(10), secondsAgo(1000)),
  });
  const anonymous = { userId: null, tenantId: null, role: null, secondFactorAt: null };
  return fc.oneof({ weight: 5, arbitrary: user }, { weight: 1, arbitrary: fc.constant(anonymous) });
}
