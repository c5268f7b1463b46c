import { CodedError, errorTable } from '@x/errors';
import type { UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { Hono, type Context } from 'hono';
import { expect, it } from 'vitest';
import { createAccessContextFactory } from './context/access-context-factory.ts';
import { createRequestAccess, requireEntitlement } from './hono.ts';
import { anonymous } from './rule/rules.ts';
import { tracker } from './testing/tracker.ts';

async function createApp(): Promise<{ app: Hono; calls: () => number }> {
  const stores = createMemoryStores({ clock: { now: () => new Date(0) } });
  const { roleAssignments, hierarchy } = stores;
  const project = { type: 'project', id: '1' } as const;
  await hierarchy.attach({ child: project, parent: { type: 'organization', id: 'o' } });
  for (const [userId, role] of [
    ['owner', 'owner'],
    ['member', 'member'],
  ] as const) {
    await roleAssignments.assign({ userId: userId as UserId, resource: { type: 'organization', id: 'o' }, role });
  }
  let calls = 0;
  const contexts = createAccessContextFactory({
    definition: tracker,
    stores: {
      ...stores,
      roleAssignments: {
        ...roleAssignments,
        // As a store that has to ask a database.
        hasRoleNow: undefined as never,
        readPaths: (...asked) => {
          calls += 1;
          return roleAssignments.readPaths(...asked);
        },
      },
    },
    orgResolver: () => ({ type: 'organization', id: 'o' }),
  });
  const access = createRequestAccess({
    contexts,
    callerOf(c) {
      const userId = c.req.header('x-user');
      return userId === undefined ? null : { ...anonymous, userId };
    },
  });
  const projectOf = (c: Context): { type: 'project'; id: string } => ({ type: 'project', id: c.req.param('id') ?? '' });
  const app = new Hono();
  app.onError((error, c) => {
    if (!(error instanceof CodedError)) throw error;
    return c.json(error.toBody(), errorTable[error.code].status);
  });
  app.get(
    '/projects/:id',
    requireEntitlement(access, 'project:read', projectOf),
    requireEntitlement(access, 'project:update', projectOf),
    async (c) => c.text(String(await c.var.access.can('project:create-task', projectOf(c)))),
  );
  app.get('/settings', requireEntitlement(access, 'organization:manage'), (c) => c.text('settings'));
  return { app, calls: () => calls };
}

const as = (user: string): RequestInit => ({ headers: { 'x-user': user } });

it('a user with the entitlements passes, and nothing is read twice in a request', async () => {
  const { app, calls } = await createApp();
  const answer = await app.request('/projects/1', as('owner'));
  expect([answer.status, await answer.text()]).toEqual([200, 'true']);
  expect(calls()).toBe(1);
  await app.request('/projects/1', as('owner'));
  expect(calls()).toBe(2);
});

it('a user without the entitlement gets 403 with the reasons', async () => {
  const { app } = await createApp();
  const answer = await app.request('/projects/1', as('member'));
  expect(answer.status).toBe(403);
  expect(await answer.json()).toEqual({
    code: 'FORBIDDEN',
    message: 'Not authorized: project:update',
    reason: 'role_required',
    reasons: ['role_required'],
    meta: { requiredRoles: ['manager'] },
  });
});

it('an anonymous caller gets 401', async () => {
  const { app } = await createApp();
  const answer = await app.request('/projects/1');
  expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'UNAUTHENTICATED' }]);
});

it('without a resource, the entitlement is checked on the tenant', async () => {
  const { app } = await createApp();
  expect((await app.request('/settings', as('owner'))).status).toBe(200);
  expect((await app.request('/settings', as('member'))).status).toBe(403);
});
