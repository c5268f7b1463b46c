import { createPostgresStores } from '@x/store-postgres';
import { patient } from '@x/store-testing';
import { createMigratedDatabase } from '@x/test-support/database';
import { runAtOnce } from '@x/test-support/programs';
import { expect, it, onTestFinished } from 'vitest';
import { type Company, MemberWorld } from './support/member-world.ts';
import { NaiveOrganization, type Step } from './support/naive-organization.ts';

const program = new URL('./change-members.mjs', import.meta.url);

const [companyCount, steps] = process.env['DEEP'] ? [400, 24] : [8, 12];

const people = [0, 1, 2, 3];

it(
  'keeps an owner and leaves nothing of a membership behind while 4 processes change members at random',
  { timeout: 900_000 },
  async () => {
    const database = await createMigratedDatabase();
    onTestFinished(() => database.drop());
    const { url } = database;
    const world = await MemberWorld.open(
      (options) => createPostgresStores({ patience: patient, url, ...options }),
      people,
    );
    onTestFinished(() => world.close());
    const companies = await Promise.all(Array.from({ length: companyCount }, () => startCompany(world)));
    const input = JSON.stringify({ url, people: world.people, companies, steps });
    const outcomes = countOutcomes(await runAtOnce(4, program, input));

    for (const company of companies) {
      const { roles, leads, grouped, invitations, links, here } = await world.read(company);
      const members = roles.map((each) => each.split(' ')[0]);
      expect(roles.some((each) => each.endsWith(' owner'))).toBe(members.length > 0);
      const inviters = [...invitations, ...links].map((each) => each.split(' ')[0]);
      expect([...leads, ...grouped, ...inviters, ...here].filter((who) => !members.includes(who))).toEqual([]);
    }
    // They did change something, and not each other's way.
    const changes = [...outcomes].filter(([outcome]) => outcome.endsWith(' OK')).map(([, count]) => count);
    expect(changes.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(companyCount * 4);
  },
);

/** Starts a company of all people, who lead its team, with a link that the owner created. */
async function startCompany(world: MemberWorld): Promise<Company> {
  const company = await world.found(0);
  const naive = new NaiveOrganization(0);
  const steps: readonly Step[] = [
    ...people.slice(1).flatMap((whom): readonly Step[] => [
      { do: 'enroll', by: 0, whom, role: 'admin' },
      { do: 'share', by: 0, whom },
    ]),
    { do: 'set-role', by: 0, whom: 1, role: 'owner' },
    { do: 'create-link', by: 0, role: 'member', maxUses: 10_000 },
  ];
  for (const step of steps) expect(await world.take(step, company, naive)).toBe('OK');
  return company;
}

function countOutcomes(outputs: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const output of outputs) {
    for (const [outcome, count] of Object.entries(JSON.parse(output) as Readonly<Record<string, number>>)) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + count);
    }
  }
  return counts;
}
