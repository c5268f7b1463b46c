import { decodeAccessSet } from '@x/access/access-set';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { recordingClient } from '../testing/recording-client.ts';

const reason = fc.constantFrom('plan_required', 'role_required', 'limit_reached', 'flag_disabled', 'step_up_required');
const meta = fc.record(
  {
    requiredPlans: fc.array(fc.string(), { minLength: 1 }),
    requiredRoles: fc.array(fc.string(), { minLength: 1 }),
    maxAge: fc.nat(),
    limit: fc.record({
      key: fc.string(),
      max: fc.nat(),
      consumed: fc.nat(),
      remaining: fc.nat(),
      resetsAt: fc.constantFrom(null, '2026-05-04T03:02:01.000Z'),
    }),
  },
  { requiredKeys: ['requiredPlans'] },
);
const name = fc.tuple(fc.stringMatching(/^[a-z]+$/), fc.stringMatching(/^[a-z-]+$/)).map((parts) => parts.join(':'));
const denial = fc.record({ reasons: fc.uniqueArray(reason, { minLength: 1 }), meta });
const encodedSet = fc
  .record({
    allow: fc.uniqueArray(name, { maxLength: 8 }),
    deny: fc.dictionary(name, denial, { maxKeys: 8, noNullPrototype: true }),
    plans: fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.string(), { maxKeys: 3, noNullPrototype: true }),
  })
  .map(({ allow, deny, plans }) => ({ allow: allow.filter((each) => !(each in deny)), deny, plans }));

it('the client reads every access set as `decodeAccessSet` does', async () => {
  await fc.assert(
    fc.asyncProperty(encodedSet, fc.array(name), async (accessSet, others) => {
      const { client } = recordingClient([{ accessSet }]);
      await client.access.refresh();
      const names = [...accessSet.allow, ...Object.keys(accessSet.deny), ...others];
      const decoded = decodeAccessSet(accessSet, names);
      const { check, plans } = client.access.getSnapshot();
      expect(Object.fromEntries(names.map((each) => [each, check(each)]))).toEqual({ ...decoded.entitlements });
      expect(plans).toEqual({ ...decoded.plans });
    }),
    { numRuns: process.env['DEEP'] ? 2000 : 200 },
  );
});
