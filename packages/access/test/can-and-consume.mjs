// Uses two entitlements at the database at argv[2] as fast as it can, 5 calls at once, and prints how many were allowed of
// each: the one has one limit, the other two. Counters of the database say how many calls there are, and the limits.
import { writeSync } from 'node:fs';

import { createPostgresStores } from '@x/store-postgres';
import { awaitSignal } from '@x/test-support/await-signal';
import { patient } from '@x/test-support/patient';
import { createAccessContext, defineAccess } from '../src/index.ts';

const stores = createPostgresStores({ patience: patient, url: process.argv[2], clock: { now: () => new Date() } });
const [calls, max] = [await stores.counters.read('calls'), await stores.counters.read('max')];
const definition = defineAccess({
  entities: { project: { roles: ['manager'] } },
  entitlements: { 'project:export': { roles: ['manager'] }, 'project:send': { roles: ['manager'] } },
  plans: {
    free: {
      group: 'base',
      features: ['project:export', 'project:send'],
      limits: {
        exports: { gates: 'project:export', per: 'year', max },
        sends: { gates: 'project:send', per: 'year', max: max + 1 },
        letters: { gates: 'project:send', max },
      },
    },
  },
});

const use = async (entitlement) =>
  createAccessContext({
    userId: 'ann',
    definition,
    roleStore: stores.roleAssignments,
    closureStore: stores.hierarchy,
    subscriptionStore: stores.subscriptions,
    walletStore: stores.wallets,
    orgResolver: () => 'acme',
    now: () => stores.clock.now(),
  }).canAndConsume(entitlement, { type: 'project', id: 'p' });

async function useOften(entitlement) {
  let [left, allowed] = [calls, 0];
  const work = async () => {
    while (left-- > 0) if (await use(entitlement)) allowed += 1;
  };
  await Promise.all(Array.from({ length: 5 }, work));
  return allowed;
}

await awaitSignal();
const [exports, sends] = [await useOften('project:export'), await useOften('project:send')];
writeSync(1, `${exports} ${sends}`);
await stores.close();
