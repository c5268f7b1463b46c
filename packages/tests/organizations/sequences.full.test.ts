import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import fc from 'fast-check';
import { createMigratedDatabase } from '@x/test-support/database';
import { expect, it, onTestFinished } from 'vitest';
import { MemberWorld, type OpenStores, toStoredCompany } from './support/member-world.ts';
import { NaiveOrganization, offeredRoles, roles, type Step } from './support/naive-organization.ts';

const people = [0, 1, 2, 3, 4];

/** The first two act most, so that owners and those they made admins often do. */
const by = fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 3);
const whom = fc.constantFrom(...people);
const role = fc.constantFrom(...roles);
const offered = fc.constantFrom(...offeredRoles);
const nth = fc.nat(9);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('set-role'),
    by,
    whom,
    role: fc.option(role, { freq: 2 }),
    given: fc.constantFrom(undefined, 'revoke'),
  }),
  fc.record({ do: fc.constant('enroll'), by, whom, role: offered }),
  fc.record({ do: fc.constantFrom('accept', 'decline', 'switch', 'leave', 'delete-account'), by: whom }),
  fc.record({ do: fc.constantFrom('accept', 'accept', 'switch', 'delete'), by: whom }),
  fc.record({ do: fc.constantFrom('transfer', 'share', 'group'), by, whom }),
  fc.record({ do: fc.constant('invite'), by, whom, role: offered }),
  fc.record({
    do: fc.constant('create-link'),
    by,
    role: offered,
    maxUses: fc.constantFrom(1, 2),
  }),
  fc.record({ do: fc.constantFrom('join-by-mail', 'join-by-link'), by: whom, nth }),
  fc.record({ do: fc.constantFrom('revoke-invitation', 'revoke-link'), by, nth }),
);

/** The company has an admin and a member before anything happens. */
const founding: readonly Step[] = [
  { do: 'enroll', by: 0, whom: 1, role: 'admin' },
  { do: 'enroll', by: 0, whom: 2, role: 'member' },
];

/** In depth 100 000 sequences, most where they are cheap. */
const isDeep = process.env['DEEP'] !== undefined;

const engines: readonly { readonly name: string; readonly runs: number; readonly open: () => Promise<OpenStores> }[] = [
  { name: 'memory', runs: isDeep ? 80_000 : 300, open: async () => createMemoryStores },
  {
    name: 'SQLite',
    runs: isDeep ? 16_000 : 60,
    open: async () => (options) => createSqliteStores({ patience: patient, path: ':memory:', ...options }),
  },
  { name: 'Postgres', runs: isDeep ? 4000 : 20, open: openPostgres },
];

it.each(engines)(
  'does in any sequence of steps on $name what a naive model does, and leaves nothing of a membership behind',
  { timeout: 1_800_000 },
  async ({ runs, open }) => {
    const world = await MemberWorld.open(await open(), people);
    onTestFinished(() => world.close());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20, size: 'max' }), async (steps) => {
        const company = await world.found(0);
        const naive = new NaiveOrganization(0);
        for (const [index, each] of [...founding, ...steps].entries()) {
          const outcome = await world.take(each, company, naive);
          expect([index, each, outcome]).toEqual([index, each, naive.take(each)]);
        }
        expect(await world.read(company)).toEqual(toStoredCompany(naive));
        if (!naive.exists) return;
        const [owner] = [...naive.roles].flatMap(([who, own]) => (own === 'owner' ? [who] : []));
        if (owner === undefined) throw new Error('The organization has no owner.');
        expect(await world.take({ do: 'delete', by: owner }, company, naive)).toBe(
          naive.take({ do: 'delete', by: owner }),
        );
        expect(await world.read(company)).toEqual(toStoredCompany(naive));
      }),
      { numRuns: runs },
    );
  },
);

async function openPostgres(): Promise<OpenStores> {
  const database = await createMigratedDatabase();
  onTestFinished(() => database.drop());
  return (options) => createPostgresStores({ patience: patient, url: database.url, maxConnections: 4, ...options });
}
