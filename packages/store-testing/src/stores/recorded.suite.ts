import { compareCodePoints, type EventRecord, type Resource, type Stores } from '@x/store';
import { describe, expect } from 'vitest';
import { expectRolledBack } from '../in-transaction.ts';
import type { StoreTest } from '../store-test.ts';
import { accountCases } from './recorded-account.ts';
import { recordCases } from './recorded-records.ts';
import { ann, by, type LogEntry, type RecordedStep, type StepCase, tenantId } from './recorded-steps.ts';

const cause = { by, tenantId };

const of = (id: string): Resource => ({ type: 'project', id });
const [top, middle, leaf, other] = ['top', 'middle', 'leaf', 'other'].map(of) as [
  Resource,
  Resource,
  Resource,
  Resource,
];
const edge = { child: middle, parent: top };
const role = { userId: ann, resource: middle, role: 'viewer' } as const;
const ofGroup = { groupId: 'g', resource: middle, role: 'editor' } as const;
const membership = { tenantId, groupId: 'g', member: { userId: ann } } as const;
const startedAt = new Date('2026-01-01T00:00:00.000Z');
const plan = { tenantId, group: 'base', planName: 'pro', startedAt };
const revoked = { type: 'role.revoked', userId: ann, detail: { resource: middle, role: 'viewer', by } };
const groupRevoked = {
  type: 'role.revoked',
  userId: null,
  detail: { groupId: 'g', resource: middle, role: 'editor', by },
};
const left = { type: 'group.member_removed', userId: ann, detail: { groupId: 'g', by } };

/** A step of a contract that is missing here is an error of its type. */
const cases: Readonly<Record<RecordedStep, StepCase>> = {
  'roleAssignments.assign': {
    step: ({ roleAssignments }, why) => roleAssignments.assign(role, why),
    expected: [{ type: 'role.assigned', userId: ann, detail: { resource: middle, role: 'viewer', by } }],
  },
  'roleAssignments.revoke': {
    prepare: ({ roleAssignments }) => roleAssignments.assign(role),
    step: ({ roleAssignments }, why) => roleAssignments.revoke(role, why),
    expected: [revoked],
  },
  'hierarchy.attach': {
    step: ({ hierarchy }, why) => hierarchy.attach(edge, why),
    expected: [{ type: 'resource.attached', userId: null, detail: { resource: middle, parent: top, by } }],
  },
  'hierarchy.detach': {
    prepare: ({ hierarchy }) => hierarchy.attach(edge),
    step: ({ hierarchy }, why) => hierarchy.detach(edge, why),
    expected: [{ type: 'resource.detached', userId: null, detail: { resource: middle, parent: top, by } }],
  },
  'hierarchy.move': {
    prepare: ({ hierarchy }) => hierarchy.attach(edge),
    step: ({ hierarchy }, why) => hierarchy.move(middle, { from: top, to: other }, why),
    expected: [{ type: 'resource.moved', userId: null, detail: { resource: middle, from: top, to: other, by } }],
  },
  'hierarchy.removeSubtree': {
    async prepare({ hierarchy, roleAssignments }) {
      await hierarchy.attach(edge);
      await hierarchy.attach({ child: leaf, parent: middle });
      await roleAssignments.assign(role);
      await roleAssignments.assign(ofGroup);
    },
    step: ({ hierarchy }, why) => hierarchy.removeSubtree(top, why),
    expected: [
      { type: 'resource.removed', userId: null, detail: { resource: top, below: [middle, leaf], by } },
      revoked,
      groupRevoked,
    ],
  },
  'groups.add': {
    step: ({ groups }, why) => groups.add(membership, why),
    expected: [{ type: 'group.member_added', userId: ann, detail: { groupId: 'g', by } }],
  },
  'groups.remove': {
    prepare: ({ groups }) => groups.add(membership),
    step: ({ groups }, why) => groups.remove(membership, why),
    expected: [left],
  },
  'groups.leaveTenant': {
    prepare: ({ groups }) => groups.add(membership),
    step: ({ groups }, why) => groups.leaveTenant(ann, tenantId, why),
    expected: [left],
  },
  'groups.delete': {
    async prepare({ groups, roleAssignments }) {
      await groups.add(membership);
      await roleAssignments.assign(ofGroup);
    },
    step: ({ groups }, why) => groups.delete({ tenantId, groupId: 'g' }, why),
    expected: [{ type: 'group.deleted', userId: null, detail: { groupId: 'g', by } }, groupRevoked],
  },
  'flags.set': {
    step: ({ flags }, why) => flags.set({ tenantId, name: 'beta' }, true, why),
    expected: [{ type: 'flag.set', userId: null, detail: { name: 'beta', value: true, by } }],
  },
  'subscriptions.assign': {
    step: ({ subscriptions }, why) => subscriptions.assign(plan, why),
    expected: [
      {
        type: 'plan.assigned',
        userId: null,
        detail: { group: 'base', plan: 'pro', startedAt: startedAt.toISOString(), expiresAt: null, by },
      },
    ],
    isRepeatable: true,
  },
  'subscriptions.updateOverrides': {
    step: ({ subscriptions }, why) => subscriptions.updateOverrides(tenantId, { seats: { max: 5 } }, why),
    expected: [{ type: 'limits.raised', userId: null, detail: { overrides: { seats: 5 }, by } }],
    isRepeatable: true,
  },
  'subscriptions.attach': {
    step: ({ subscriptions }, why) => subscriptions.attach({ tenantId, addOn: 'more', quantity: 2 }, why),
    expected: [{ type: 'add_on.attached', userId: null, detail: { addOn: 'more', quantity: 2, by } }],
    isRepeatable: true,
  },
  'subscriptions.detach': {
    prepare: ({ subscriptions }) => subscriptions.attach({ tenantId, addOn: 'more' }),
    step: ({ subscriptions }, why) => subscriptions.detach({ tenantId, addOn: 'more' }, why),
    expected: [{ type: 'add_on.detached', userId: null, detail: { addOn: 'more', by } }],
  },
  'subscriptions.remove': {
    prepare: ({ subscriptions }) => subscriptions.assign(plan),
    step: ({ subscriptions }, why) => subscriptions.remove(tenantId, why),
    expected: [{ type: 'plan.removed', userId: null, detail: { by } }],
  },
  ...accountCases,
  ...recordCases,
};

/** Describes that each step that takes a cause writes what it changed to the log, in the transaction of the step. */
export function describeRecorded(it: StoreTest): void {
  describe('the log of what steps change', () => {
    it.for(Object.entries(cases))(
      'has exactly what %s changed',
      async ([, { prepare, step, ...rest }], { stores, records }) => {
        await prepare?.(stores, records);
        const before = await readLog(stores);
        await expectRolledBack(stores, (inside) => step(inside, cause, records));
        expect(await readLog(stores)).toEqual(before);
        await step(stores, cause, records);
        const expected = [...before, ...rest.expected].map(toText).toSorted();
        expect((await readLog(stores)).map(toText).toSorted()).toEqual(expected);
        if (!rest.isRepeatable) await step(stores, cause, records);
        expect(await readLog(stores)).toHaveLength(expected.length);
      },
    );

    it('has a removed resource all of whose children stay', async ({ stores }) => {
      const { hierarchy } = stores;
      for (const parent of [top, other]) await hierarchy.attach({ child: middle, parent });
      await hierarchy.removeSubtree(top, cause);
      expect(await readLog(stores)).toMatchObject([{ type: 'resource.removed', detail: { resource: top, below: [] } }]);
      await hierarchy.removeSubtree(leaf, cause);
      expect(await readLog(stores)).toHaveLength(1);
    });

    it('has the roles and the memberships that end with a user', async ({ stores, records }) => {
      await stores.users.create(records.user({ id: ann }));
      await stores.groups.add(membership, cause);
      await stores.roleAssignments.assign(role);
      const before = await readLog(stores);
      await stores.users.delete(ann, cause);
      const known = new Set(before.map(({ id }) => id));
      const added = (await readLog(stores)).filter(({ id }) => !known.has(id));
      expect(added.map(({ type }) => type).toSorted()).toEqual([
        'group.member_removed',
        'role.revoked',
        'user.deleted',
      ]);
    });

    it('has the sessions that end with a sign-in beyond the maximum', async ({ stores, records }) => {
      await stores.users.create(records.user({ id: ann, tenantId }));
      const [first, second] = [records.session(ann), records.session(ann)];
      await stores.sessions.create(first, { maxActive: 1 });
      const events: EventRecord[] = [];
      const onRecorded = (recorded: readonly EventRecord[]): void => void events.push(...recorded);
      await stores.sessions.create(second, { maxActive: 1 }, { detail: { provider: 'github' }, onRecorded });
      const about = { userId: ann, tenantId };
      expect(events).toMatchObject([
        { ...about, type: 'sign_in.succeeded', sessionId: second.id, detail: { provider: 'github' } },
        { ...about, type: 'session.revoked', detail: { reason: 'too_many_sessions', sessionIds: [first.id] } },
      ]);
      expect(await readLog(stores)).toEqual(expect.arrayContaining(events));
    });

    it('has the sessions that end at once in the log of the tenant of each', async ({ stores, records }) => {
      await stores.users.create(records.user({ id: ann, tenantId }));
      const last = records.sessionId();
      const ids = [records.sessionId(), records.sessionId(), last];
      for (const id of ids) await stores.sessions.create(records.session(ann, { id }), { maxActive: 3 });
      await stores.sessions.setTenant(last, 'elsewhere');
      await stores.sessions.revokeAll(ann, { by });
      const idsIn = async (tenant: string): Promise<unknown> => {
        const { items } = await stores.events.listByTenant(tenant, everything);
        const [ended] = items.filter(({ type }) => type === 'session.revoked');
        return new Set(ended?.detail['sessionIds'] as readonly string[] | undefined);
      };
      expect(await idsIn(tenantId)).toEqual(new Set(ids.slice(0, 2)));
      expect(await idsIn('elsewhere')).toEqual(new Set([last]));
    });

    it('has the deletion of a user once, when it begins', async ({ stores, records }) => {
      await stores.users.create(records.user({ id: ann }));
      await stores.users.startDeletion(ann, cause);
      await stores.users.delete(ann, cause);
      expect((await readLog(stores)).filter(({ type }) => type === 'user.deleted')).toHaveLength(1);
    });

    it('has where a change was requested', async ({ stores, records }) => {
      await stores.users.create(records.user({ id: ann, tenantId }));
      const sessionId = records.sessionId();
      const request = { sessionId, ipAddress: '192.0.2.1', userAgent: 'Firefox' };
      await stores.users.setFields(ann, {}, { ...request, detail: { fields: ['name'] } });
      const [newest] = (await readLog(stores)).filter(({ type }) => type === 'user.updated');
      expect(newest).toMatchObject({ ...request, userId: ann, detail: { fields: ['name'] } });
    });

    it('lets nothing change of which the event cannot be stored', async ({ stores, records }) => {
      const user = await stores.users.create(records.user({ id: ann, tenantId }));
      const refused = stores.users.setRole(ann, 'editor', { tenantId: 'a\0b' });
      await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
      expect(await stores.users.findById(ann)).toEqual(user);
    });

    it('names why, if the author of the cause did not ask for it, and the app itself by default', async ({
      stores,
    }) => {
      await stores.roleAssignments.assign(role, { tenantId, reason: 'reclaim' });
      expect(await readLog(stores)).toMatchObject([{ detail: { by: null, reason: 'reclaim' } }]);
    });

    it('has a new user, and not the session and the tenant that they start with', async ({ stores, records }) => {
      await stores.users.create(records.user({ id: ann, tenantId }));
      await stores.users.setTenant(ann, tenantId, { isImplied: true });
      await stores.sessions.create(records.session(ann), { maxActive: 1 }, { isImplied: true });
      expect((await readLog(stores)).map(({ type }) => type)).toEqual(['user.created']);
    });

    it('has a role that users give themselves in the log of the tenant, and not in their own', async ({ stores }) => {
      await stores.roleAssignments.assign(role, { by: ann, tenantId });
      expect(await readLog(stores)).toMatchObject([{ userId: null, detail: { userId: ann, by: ann } }]);
      expect((await stores.events.listByUser(ann, everything)).items).toEqual([]);
    });
  });
}

const everything = { limit: 100, after: null };

async function readLog({ events }: Stores): Promise<readonly EventRecord[]> {
  return (await events.listByTenant(tenantId, everything)).items;
}

/** The members of a detail, and of a list in it, have no order. */
function toText({ type, userId, detail }: LogEntry): string {
  const members = Object.entries(detail).map(
    ([name, value]) => [name, Array.isArray(value) ? toSortedTexts(value) : value] as const,
  );
  return `${type} ${userId} ${JSON.stringify(members.toSorted(([one], [two]) => compareCodePoints(one, two)))}`;
}

function toSortedTexts(list: readonly unknown[]): readonly string[] {
  return list.map((each) => JSON.stringify(each)).toSorted();
}
