import type { Resource } from '@x/store';
import { expectTypeOf, it } from 'vitest';
import { defineAccess } from '../definition/define-access.ts';
import type { EntitlementName, EntityRole, EntityType } from '../definition/access-model.ts';
import { tracker, type trackerModel } from '../testing/tracker.ts';
import { type AccessContext, type AccessContextOptions, createAccessContext } from './access-context.ts';

type Model = typeof trackerModel;

it('a context knows the names of its definition', () => {
  const open = (options: Omit<AccessContextOptions, 'definition'>) =>
    createAccessContext({ ...options, definition: tracker });
  type Access = ReturnType<typeof open>;
  const read = async (access: Access, id: string): Promise<void> => {
    await access.can('project:read', { type: 'project', id });
    await access.canAll([{ entitlement: 'task:read', resource: { type: 'task', id } }, { entitlement: 'report:any' }]);
    await access.filter('task:read', { type: 'task' });
    const { items } = await access.lookup(id, 'task:read', { type: 'task', limit: 5 });
    expectTypeOf(items[0]?.resource.type).toEqualTypeOf<'task' | undefined>();
    await access.who('task:read', { type: 'task', id }, { after: id });
    // @ts-expect-error: there is no such type
    await access.lookup(id, 'task:read', { type: 'taks' });
    // @ts-expect-error: there is no such entitlement
    await access.who('task:raed', { type: 'task', id });
    // @ts-expect-error: there is no such entitlement
    await access.can('project:raed', { type: 'project', id });
    // @ts-expect-error: there is no such type
    await access.check('project:read', { type: 'projekt', id });
    // @ts-expect-error: there is no such entitlement
    await access.authorize('__proto__');
    // @ts-expect-error: there is no such entitlement
    await access.canAll([{ entitlement: 'task:raed' }]);
    // @ts-expect-error: there is no such type
    await access.filter('task:read', { type: 'taks' });
  };
  expectTypeOf(read).toBeFunction();
  expectTypeOf<Access>().toExtend<AccessContext>();
});

it('names are literal types', () => {
  expectTypeOf<EntityType<Model>>().toEqualTypeOf<'organization' | 'project' | 'task' | 'report'>();
  expectTypeOf<EntityRole<Model, 'task'>>().toEqualTypeOf<'editor' | 'viewer'>();
  expectTypeOf<EntitlementName<Model>>().toEqualTypeOf<keyof typeof trackerModel.entitlements>();
});

it('a name that the model does not define is a compile error in the model, too', () => {
  const wrong = [
    () =>
      defineAccess({
        entities: { team: { roles: ['lead'] } },
        // @ts-expect-error: `team` has no role `boss`
        entitlements: { 'team:read': { roles: ['boss'] } },
      }),
    () =>
      defineAccess({
        entities: { team: { roles: ['lead'] } },
        // @ts-expect-error: there is no type `taem`
        entitlements: { 'taem:read': { roles: ['lead'] } },
      }),
    () =>
      defineAccess({
        entities: {
          team: { roles: ['lead'] },
          // @ts-expect-error: `team` has no role `boss`
          task: { roles: ['editor'], inherits: { 'team:boss': 'editor' } },
        },
        entitlements: {},
      }),
    () =>
      defineAccess({
        entities: {
          team: { roles: ['lead'] },
          // @ts-expect-error: `task` has no role `writer`
          task: { roles: ['editor'], inherits: { 'team:lead': 'writer' } },
        },
        entitlements: {},
      }),
    () =>
      defineAccess({
        entities: { team: { roles: ['lead'] } },
        // @ts-expect-error: there is no plan `por`
        entitlements: { 'team:read': { roles: ['lead'], plans: ['por'] } },
        plans: { pro: { group: 'base', features: [] } },
      }),
    () =>
      defineAccess({
        entities: { team: { roles: ['lead'] } },
        entitlements: { 'team:read': { roles: ['lead'] } },
        plans: {
          // @ts-expect-error: there is no entitlement `team:raed`
          pro: { group: 'base', features: ['team:raed'] },
        },
      }),
    () =>
      defineAccess({
        entities: { team: { roles: ['lead'] } },
        entitlements: { 'team:read': { roles: ['lead'] } },
        plans: {
          pro: {
            group: 'base',
            features: ['team:read'],
            // @ts-expect-error: there is no entitlement `team:raed`
            limits: { reads: { gates: 'team:raed', max: 5 } },
          },
        },
      }),
  ];
  expectTypeOf(wrong).toBeArray();
  expectTypeOf<Resource['type']>().toEqualTypeOf<string>();
});
