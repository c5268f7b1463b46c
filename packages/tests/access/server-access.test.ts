import { anonymous, type RuleCaller } from '@x/access';
import { requireEntitlement } from '@x/access/hono';
import type { Resource, UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { sampleAccess } from '../support/sample-access.ts';
import { createTestServer, engines, type TestServer } from '../support/test-server.ts';

const acme: Resource = { type: 'organization', id: 'acme' };
const project: Resource = { type: 'project', id: 'p' };
const ada: RuleCaller = { userId: 'ada', tenantId: 'acme', role: 'user', secondFactorAt: null };

/** A server where Ada owns an organization with one project. */
async function createAcme(engine: (typeof engines)[number]): Promise<TestServer & { access: Access }> {
  const test = await createTestServer({ engine, access: sampleAccess });
  const { stores, access } = test.server;
  if (!access) throw new TypeError('There is no access.');
  await stores.hierarchy.attach({ child: project, parent: acme });
  await stores.roleAssignments.assign({ userId: 'ada' as UserId, resource: acme, role: 'owner' });
  return { ...test, access };
}

type Access = NonNullable<TestServer['server']['access']>;

describe.each(engines)('access control on %s', (engine) => {
  it('decides in the tenant of the resource, or else in the current tenant of the caller', async () => {
    const { access, server } = await createAcme(engine);
    expect(await access.contextFor(ada).can('project:read', project)).toBe(true);
    expect(await access.contextFor(ada).can('organization:manage')).toBe(true);
    expect(await access.contextFor({ ...ada, tenantId: 'other' }).can('organization:manage')).toBe(false);
    expect(await access.contextFor(anonymous).can('project:read', project)).toBe(false);
    expect(await access.contextFor(ada).check('project:export', project)).toMatchObject({ reason: 'plan_required' });
    await server.stores.subscriptions.assign({ tenantId: 'acme', planName: 'pro', group: 'base' });
    expect(await access.contextFor(ada).can('project:export', project)).toBe(true);
    expect(await access.contextFor({ ...ada, tenantId: null }).can('project:export', project)).toBe(true);
  });

  it('uses the clock of the stores', async () => {
    const { access, clock } = await createAcme(engine);
    const createProject = (): Promise<boolean> =>
      access.contextFor(ada).canAndConsume('organization:create-project', acme);
    expect([await createProject(), await createProject()]).toEqual([true, false]);
    clock.advance(86_400_000);
    expect([await createProject(), await createProject()]).toEqual([true, false]);
  });

  it('reads the writes of its transaction, and undoes consumption with the transaction', async () => {
    const { access, server } = await createAcme(engine);
    const undone = server.stores.transaction(async (inside) => {
      const other: Resource = { type: 'organization', id: 'other' };
      await inside.roleAssignments.assign({ userId: 'ada' as UserId, resource: other, role: 'owner' });
      const context = access.contextFor(ada, inside);
      expect(await context.can('organization:manage', other)).toBe(true);
      expect(await context.canAndConsume('organization:create-project', acme)).toBe(true);
      expect(await access.contextFor(ada, inside).can('organization:create-project', acme)).toBe(false);
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect(await access.contextFor(ada).can('organization:create-project', acme)).toBe(true);
    expect(await access.contextFor(ada).can('organization:manage', { ...acme, id: 'other' })).toBe(false);
  });
});

it('creates one access context per request, which requireEntitlement uses', async () => {
  const { access, server, client } = await createAcme('memory');
  const projectOf = (): Resource => project;
  server.app.get('/project', requireEntitlement(access, 'project:read', projectOf), async (c) =>
    c.json({ userId: c.var.access.userId, isTheSame: (await access.contextOf(c)) === c.var.access }),
  );
  const browser = client();
  expect(await browser.get('/project')).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHENTICATED' } } });
  const account = { email: 'ada@example.com', password: 'correct horse battery' };
  const userId = (await browser.post('/api/auth/signup', account)).body.user.id as UserId;
  expect(await browser.get('/project')).toMatchObject({ status: 403, body: { error: { reason: 'role_required' } } });
  await server.stores.roleAssignments.assign({ userId, resource: project, role: 'viewer' });
  expect(await browser.get('/project')).toMatchObject({ status: 200, body: { userId, isTheSame: true } });
});

it('exposes no access if none was configured', async () => {
  expect((await createTestServer()).server.access).toBeNull();
});
