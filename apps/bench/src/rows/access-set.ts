import { type AccessDefinition, computeAccessSet, defineAccess } from '@x/access';
import { decodeAccessSet, encodeAccessSet } from '@x/access/access-set';
import type { UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { runSerially } from '../comparison/in-process.ts';
import { evaluateCpu } from '../comparison/outcome.ts';
import type { Sample } from '../comparison/rounds.ts';
import type { Row } from './row.ts';

const names = Array.from({ length: 200 }, (_, index) => `project:action-${index}`);

/** Half of them are not held, a tenth is limited, and ten plans list them. */
const definition: AccessDefinition = defineAccess({
  entities: {
    organization: { roles: ['owner', 'member'] },
    project: {
      roles: ['manager', 'viewer'],
      inherits: { 'organization:owner': 'manager', 'organization:member': 'viewer' },
    },
  },
  entitlements: Object.fromEntries(
    names.map((name, index) => [name, { roles: index % 2 === 0 ? ['manager'] : ['manager', 'viewer'] }]),
  ),
  plans: Object.fromEntries(
    Array.from({ length: 10 }, (_, plan) => [
      `plan-${plan}`,
      {
        group: plan < 5 ? 'base' : 'support',
        features: names.filter((_name, index) => index % 10 >= plan),
        limits: plan < 5 ? limitsOf(names.slice(0, 20)) : {},
      },
    ]),
  ),
  defaultPlan: 'plan-3',
});

function limitsOf(gated: readonly string[]): Record<string, { gates: string; per: 'month'; max: number }> {
  return Object.fromEntries(gated.map((gates, index) => [`limit-${index}`, { gates, per: 'month', max: 10 }]));
}

/**
 * The access set of one user over 200 entitlements and 10 plans, on memory stores; and the code that decodes it in a
 * browser.
 */
export const accessSetRow: Row = {
  name: 'access-set',
  async run({ rounds, seconds }) {
    const { roleAssignments, hierarchy, flags, subscriptions, wallets } = createMemoryStores({
      clock: { now: () => new Date() },
    });
    const organization = { type: 'organization', id: 'o' };
    await roleAssignments.assign({ userId: 'user' as UserId, resource: organization, role: 'member' });
    const compute = () =>
      computeAccessSet({
        userId: 'user',
        definition,
        roleStore: roleAssignments,
        closureStore: hierarchy,
        flagStore: flags,
        subscriptionStore: subscriptions,
        walletStore: wallets,
        tenantId: organization,
      });
    const encoded: unknown = JSON.parse(JSON.stringify(encodeAccessSet(await compute())));
    const samplesOf = async (operation: () => Promise<boolean> | boolean): Promise<readonly Sample[]> => {
      const side = runSerially(operation, 'database');
      const samples: Sample[] = [];
      for (let round = 0; round <= rounds; round += 1) samples.push(await side(seconds / 4));
      return samples.slice(1);
    };
    const computing = await samplesOf(async () => 'base' in (await compute()).plans);
    const decoding = await samplesOf(() => 'base' in decodeAccessSet(encoded, names).plans);
    return [
      evaluateCpu({ row: 'access-set: compute', below: 1 }, computing),
      evaluateCpu({ row: 'access-set: decode', below: 0.2 }, decoding),
    ];
  },
};
