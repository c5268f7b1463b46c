import { createAccessContext } from '@x/access';
import { toLogger } from '@x/errors';
import type { Stores } from '@x/store';
import { describe, expect, it } from 'vitest';
import { openCall } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { getRecord } from '../operation/get.ts';
import { listRecords } from '../operation/list.ts';
import { guardedEntities } from '../testing/guarded-entities.ts';
import { engines, openTracker, type TrackerApp } from '../testing/tracker-app.ts';
import { definition } from '../testing/tracker.ts';

/** Notes down which store is called how. */
function record(stores: Stores, calls: string[]): Stores {
  const noted = <Store extends object>(name: string, store: Store): Store =>
    new Proxy(store, {
      get(target, key) {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function') return method;
        // Results without a promise, which some engines have, are not calls.
        if (key === 'hasRoleNow') return undefined;
        return (...given: unknown[]): unknown => {
          calls.push(`${name}.${String(key)}`);
          return Reflect.apply(method, target, given);
        };
      },
    });
  const { entities, roleAssignments, hierarchy, subscriptions, wallets } = stores;
  return {
    ...stores,
    entities: noted('entities', entities),
    roleAssignments: noted('roles', roleAssignments),
    hierarchy: noted('hierarchy', hierarchy),
    subscriptions: noted('subscriptions', subscriptions),
    wallets: noted('wallets', wallets),
  };
}

/** Counts the calls that a request of a user's makes. */
async function callsOf(
  { entities, stores, clock }: TrackerApp,
  user: string,
  send: (call: ReturnType<typeof openCall>) => Promise<unknown>,
): Promise<readonly string[]> {
  const calls: string[] = [];
  const recorded = record(stores, calls);
  const access = {
    definition,
    contextFor: (caller: { readonly userId: string | null }) =>
      createAccessContext({
        userId: caller.userId,
        definition,
        roleStore: recorded.roleAssignments,
        closureStore: recorded.hierarchy,
        subscriptionStore: recorded.subscriptions,
        walletStore: recorded.wallets,
        now: () => clock.now(),
        orgResolver: async (resource, { ancestors }) =>
          resource && [resource, ...(await ancestors())].find(({ type }) => type === 'organization'),
      }),
  };
  const context = { ...entities.context, stores: { ...recorded, clock }, access, logger: toLogger(false) };
  await send(
    openCall(context, { type: 'caller', caller: { userId: user, tenantId: null, role: null, secondFactorAt: null } }),
  );
  return calls;
}

describe.each(engines)('the number of store calls on %s', (engine) => {
  it('does not depend on the number of records with conditionally visible fields', async () => {
    const app = await openTracker(engine, guardedEntities);
    const organizationId = await app.organizationOf('ada');
    const projectId = await app.add('ada', 'projects', { organizationId, name: 'P' });
    for (let index = 0; index < 12; index += 1) {
      await app.add('ada', 'tasks', { projectId, title: 'T', escalatedTo: projectId });
    }
    const found = (name: string): Entity => {
      const entity = app.entities.context.entities.get(name);
      if (!entity) throw new TypeError(`There are no ${name}.`);
      return entity;
    };
    const list = (name: string, query: object): Promise<readonly string[]> =>
      callsOf(app, 'ada', (call) => listRecords(call, found(name), query));
    const small = await list('tasks', { limit: 1 });
    // A role on each task, and an entitlement.
    expect(small.length).toBeLessThanOrEqual(6);
    expect(await list('tasks', { limit: 50 })).toEqual(small);
    // Included records reuse the roles that the page has read.
    const included = await list('tasks', { limit: 1, include: 'escalation.escalated,project' });
    const many = await list('tasks', { limit: 50, include: 'escalation.escalated,project' });
    expect(many.length).toBeLessThanOrEqual(included.length);
  });

  it('does not depend on the number of records, nor of entitlements in `__access`', async () => {
    const app = await openTracker(engine);
    const { organizationOf, add, entities } = app;
    const projectId = await add('ada', 'projects', { organizationId: await organizationOf('ada'), name: 'P' });
    for (let index = 0; index < 12; index += 1) {
      const taskId = await add('ada', 'tasks', { projectId, title: `T${index}` });
      if (index < 3) await add('ada', 'comments', { taskId, body: 'C' });
    }
    const tasks = entities.context.entities.get('tasks');
    if (!tasks) throw new TypeError('There are no tasks.');
    const list = (query: object): Promise<readonly string[]> =>
      callsOf(app, 'ada', (call) => listRecords(call, tasks, query));
    const plain = await list({ limit: 1 });
    expect(plain).toEqual(['roles.listAssigned', 'roles.readPaths', 'subscriptions.readMany', 'entities.list']);
    expect(await list({ limit: 50 })).toEqual(plain);
    const withAccess = { access: 'task:read,task:update,task:delete' };
    const small = await list({ ...withAccess, limit: 1 });
    expect(small).toEqual([...plain, 'roles.readPaths']);
    expect(await list({ ...withAccess, limit: 50 })).toEqual(small);
    const included = await list({ include: 'comments,project', limit: 1 });
    expect((await list({ include: 'comments,project', limit: 50 })).length).toBe(included.length);
    const [first] = (await app.send('ada', 'GET /tasks')).body.items;
    const got = await callsOf(app, 'ada', (call) => getRecord(call, tasks, first?.id ?? '', withAccess));
    expect(got.slice(0, 3)).toEqual(['entities.get', 'roles.readPaths', 'subscriptions.readMany']);
    expect(got.length).toBeLessThanOrEqual(4);
  });
});
