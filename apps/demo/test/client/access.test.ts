import { type Client, createClient } from '@x/client';
import { createCookieFetch } from '@x/client/cookies';
import { expect, it } from 'vitest';
import { definition } from '../../src/access/definition.ts';
import type { Tracker } from '../../src/tracker.ts';
import { newAccount } from '../support/accounts.ts';
import { startHere } from '../support/demo-in-process.ts';
import { codeOf, dataOf } from './outcome.ts';

type Entitlement = keyof typeof definition.entitlements;

const entitlements = Object.keys(definition.entitlements) as readonly Entitlement[];

it('agrees with `check` in every state of an account, by the access set of the client', async () => {
  const url = await startHere({ RATE_LIMIT_FACTOR: '100' });
  const open = (): Client<Tracker> => createClient<Tracker>({ baseUrl: url, fetch: createCookieFetch() });
  const [owner, guest] = [open(), open()];
  const { tenantId } = await signUp(owner);
  const { id: userId } = await signUp(guest);
  const { organizations, projects } = owner.entities;

  expect(await agreed(owner)).toEqual({ 'organization:create-project': true, 'project:export': false });
  for (const name of ['one', 'two', 'three']) dataOf(await projects.create({ organizationId: tenantId, name }));
  expect(codeOf(await projects.create({ organizationId: tenantId, name: 'four' }))).toBe('FORBIDDEN');
  expect(await agreed(owner)).toEqual({ 'organization:create-project': false, 'project:export': false });
  expect(owner.access.check('organization:create-project').reason).toBe('limit_reached');

  dataOf(await organizations.plan(tenantId, { plan: 'pro' }));
  expect(await agreed(owner)).toEqual({ 'organization:create-project': true, 'project:export': true });
  dataOf(await organizations.addOns(tenantId, { addOn: 'extra-exports', attach: true }));
  await agreed(owner);
  dataOf(await organizations.plan(tenantId, { plan: 'enterprise' }));
  await agreed(owner);
  expect(owner.access.can('report:read')).toBe(true);

  for (const role of ['admin', 'member'] as const) {
    dataOf(await organizations.setRole(tenantId, { userId, role }));
    if (role === 'admin') dataOf(await guest.auth.tenants.switch({ tenantId }));
    await agreed(guest);
    expect(guest.access.can('organization:manage')).toBe(role === 'admin');
  }
  dataOf(await organizations.setRole(tenantId, { userId, role: null }));
  await agreed(guest);
  expect(guest.access.can('organization:read')).toBe(guest.session.getSnapshot().user?.tenantId !== null);

  dataOf(await owner.auth.signOut());
  expect(entitlements.filter((name) => owner.access.can(name))).toEqual([]);
});

it('agrees with `check` in the `__access` of a record', async () => {
  const url = await startHere({ RATE_LIMIT_FACTOR: '100' });
  const client = createClient<Tracker>({ baseUrl: url, fetch: createCookieFetch() });
  const { tenantId } = await signUp(client);
  const project = dataOf(await client.entities.projects.create({ organizationId: tenantId, name: 'one' }));
  const query = { access: ['project:export', 'project:create-task', 'project:read'] } as const;
  for (const plan of ['free', 'pro'] as const) {
    dataOf(await client.entities.organizations.plan(tenantId, { plan }));
    const record = dataOf(await client.entities.projects.get(project.id, query));
    const names = ['project:update', 'project:delete', ...query.access] as const;
    const resource = { type: 'project', id: project.id };
    const { results } = dataOf(
      await client.services.access.check({ checks: names.map((entitlement) => ({ entitlement, resource })) }),
    );
    expect(names.map((name) => client.access.check(name, record))).toEqual(results);
    expect(client.access.can('project:export', record)).toBe(plan === 'pro');
  }
});

/**
 * Compares what the client knows with what the server responds, and returns the decisions that a plan and its limits
 * make.
 */
async function agreed(client: Client<Tracker>): Promise<Readonly<Record<string, boolean>>> {
  dataOf(await client.access.refresh());
  const checks = entitlements.map((entitlement) => ({ entitlement }));
  const { results } = dataOf(await client.services.access.check({ checks }));
  const known = entitlements.map((name) => client.access.check(name));
  expect(known.map(({ allowed }) => allowed)).toEqual(results.map(({ allowed }) => allowed));
  // Answers with `meta` have equal reasons. The client knows no reasons of the others, and reports a missing role.
  const said = results.map(({ meta, reasons }, index) => meta && { of: entitlements[index], reasons });
  const understood = known.map(({ reasons }, index) => results[index]?.meta && { of: entitlements[index], reasons });
  expect(understood).toEqual(said);
  return Object.fromEntries(
    (['organization:create-project', 'project:export'] as const).map((name) => [name, client.access.can(name)]),
  );
}

async function signUp(client: Client<Tracker>): Promise<{ readonly id: string; readonly tenantId: string }> {
  const session = dataOf(await client.auth.signUp(newAccount()));
  const { id, tenantId } = session?.user ?? {};
  if (id === undefined || typeof tenantId !== 'string') throw new Error('No user, or no tenant.');
  client.access.subscribe(() => {});
  return { id, tenantId };
}
