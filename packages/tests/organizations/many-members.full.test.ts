import { anonymous } from '@x/access';
import { toEntityTables } from '@x/entity';
import { createOrganizations } from '@x/organizations';
import { createServer, type Server } from '@x/server';
import type { Stores, UserId } from '@x/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addUser } from '../support/add-user.ts';
import { allEngines } from './support/all-engines.ts';
import { countSteps } from './support/count-steps.ts';

const joined = 1000;

/** An app with an organization that many have joined, and work in. One of them has another organization. */
async function startApp(open: (tables: ReturnType<typeof toEntityTables>) => Promise<Stores>, isInterrupted = false) {
  const organizations = createOrganizations();
  const { entity } = organizations;
  // As after the end of a process that has committed the deletion, and done nothing since.
  const interrupted: typeof entity = { ...entity, hooks: { ...entity.hooks, afterCommit: {} } };
  const served = isInterrupted ? interrupted : entity;
  const { stores, longest } = countSteps(await open(toEntityTables(organizations.models)));
  const server = await createServer({
    database: stores,
    auth: { production: false, session: { strategy: 'jwt' } },
    organizations: { ...organizations, entity: served },
  });
  onTestFinished(() => server.close());
  await server.initialize();
  const owner = await addUser(server, { email: 'ada@example.com' });
  const caller = { ...anonymous, userId: owner.id, secondFactorAt: stores.clock.now() };
  const [big, other] = [await found(server, caller.userId), await found(server, caller.userId)];
  const members = await addMembers(stores, big, joined);
  const [first] = members;
  if (!first) throw new TypeError('There are no members.');
  await stores.roleAssignments.assign({ userId: first, resource: { type: 'organization', id: other }, role: 'member' });
  longest.steps = 0;
  const remove = () => server.entities.as(caller).delete(served, big);
  const tenantsOf = async (ids: readonly UserId[]) => (await stores.users.findMany(ids)).map((user) => user.tenantId);
  return { stores, organizations, longest, big, other, first, members, remove, tenantsOf };
}

async function found(server: Server, userId: UserId): Promise<string> {
  const id = crypto.randomUUID();
  const now = server.stores.clock.now();
  const row = { id, name: 'Acme', slug: id, createdBy: userId, createdAt: now, updatedAt: now };
  await server.stores.entities.create('organizations', row);
  await server.stores.roleAssignments.assign({ userId, resource: { type: 'organization', id }, role: 'owner' });
  return id;
}

async function addMembers(stores: Stores, organizationId: string, count: number): Promise<readonly UserId[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID() as UserId);
  const resource = { type: 'organization', id: organizationId };
  const blank = { emailVerified: true, emailProvenAt: null, passwordHash: null, role: 'user', fields: {} };
  for (let start = 0; start < count; start += 250) {
    await stores.transaction(async ({ users, roleAssignments }) => {
      for (const id of ids.slice(start, start + 250)) {
        const email = `${id}@example.com`;
        await users.create({ ...blank, id, email, loginEmail: email, tenantId: organizationId });
        await roleAssignments.assign({ userId: id, resource, role: 'member' });
      }
    });
  }
  return ids;
}

describe.each(allEngines)(`an organization with ${joined} members on $name`, ({ open }) => {
  it('is deleted by a short transaction, and its members leave it in others', { timeout: 120_000 }, async () => {
    const { stores, longest, big, other, first, members, remove, tenantsOf } = await startApp(open);
    expect(await remove()).toMatchObject({ ok: true });
    expect(await stores.roleAssignments.listByResource({ type: 'organization', id: big })).toEqual([]);
    expect(new Set(await tenantsOf(members.slice(1)))).toEqual(new Set([null]));
    expect(await tenantsOf([first])).toEqual([other]);
    expect(longest.steps).toBeLessThan(1000);
  });

  it('loses its members after all if a process ended between', { timeout: 120_000 }, async () => {
    const { stores, organizations, big, members, remove, tenantsOf } = await startApp(open, true);
    expect(await remove()).toMatchObject({ ok: true });
    expect(new Set(await tenantsOf(members))).toEqual(new Set([big]));
    // Two processes find them at the same time.
    await Promise.all([organizations.completeDeletions({ stores }), organizations.completeDeletions({ stores })]);
    expect(await tenantsOf(members)).not.toContain(big);
  });
});
