// Takes random steps in one company after another, four at once, and prints how often each outcome came. argv[2] is the
// JSON of the database, the people, the companies, and how many steps to take in each.
import { writeSync } from 'node:fs';
import { createPostgresStores } from '@x/store-postgres';
import { awaitSignal } from '@x/test-support/await-signal';
import { patient } from '@x/test-support/patient';
import { MemberWorld } from './support/member-world.ts';
import { NaiveOrganization, offeredRoles } from './support/naive-organization.ts';

const { url, people, companies, steps } = JSON.parse(process.argv[2]);
const world = await MemberWorld.join(
  (options) => createPostgresStores({ url, maxConnections: 4, patience: patient, ...options }),
  people,
);
await awaitSignal();

const outcomes = {};
// All processes are in the same company at about the same time.
for (const company of companies) {
  let left = steps;
  const takeSteps = async () => {
    while (left-- > 0) {
      const step = anyStep();
      const outcome = await world.take(step, { ...company, mailed: null }, withLink());
      outcomes[`${step.do} ${outcome}`] = (outcomes[`${step.do} ${outcome}`] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 4 }, takeSteps));
}
writeSync(1, JSON.stringify(outcomes));
await world.close();

function anyStep() {
  const [by, whom] = [anyOf([0, 0, 1, 1, 2, 3]), anyOf([0, 1, 2, 3])];
  const kinds = [
    'set-role',
    'set-role',
    'set-role',
    'enroll',
    'leave',
    'transfer',
    'switch',
    'group',
    'invite',
    'accept',
    'join-by-link',
  ];
  const step = { do: Math.random() < 0.005 ? 'delete' : anyOf(kinds), by, whom, nth: 0 };
  const given = anyOf(['revoke', undefined]);
  return {
    ...step,
    given,
    role: anyOf(step.do === 'set-role' ? ['owner', 'owner', 'admin', null, null] : offeredRoles),
  };
}

/** An organization with the one link that each company has. */
function withLink() {
  const naive = new NaiveOrganization(0);
  naive.take({ do: 'create-link', by: 0, role: 'member', maxUses: 10_000 });
  return naive;
}

function anyOf(all) {
  return all[Math.floor(Math.random() * all.length)];
}
