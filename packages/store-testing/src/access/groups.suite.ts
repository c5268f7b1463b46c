import { compareCodePoints, maxGroupDepth, type TransactionStores, type UserId } from '@x/store';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { concurrently, times } from '../concurrently.ts';
import { expectRolledBack } from '../in-transaction.ts';
import { signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { visitPages } from '../visit-pages.ts';
import { describeGroupRoles } from './group-roles.suite.ts';
import { addAll, toHolder, toMembership } from './memberships.ts';
import { NaiveHierarchy, toResource } from './naive-hierarchy.ts';

/** Describes what every store of groups does. */
export function describeGroups(it: StoreTest): void {
  describe('groups', () => {
    describeMembers(it);
    describeRefusals(it);
    describeEnds(it);
    describeGroupRoles(it);
    describeModel(it);
  });
}

const groupsOf = ({ groups }: TransactionStores, name: string): Promise<readonly string[]> =>
  groups.listGroups(toHolder(name));

async function membersOf({ groups }: TransactionStores, groupId: string, limit = 100): Promise<readonly string[]> {
  const members = await visitPages((page) => groups.listMembers(groupId, page), limit);
  return members.map((member) => (member.groupId === undefined ? `user:${member.userId}` : `group:${member.groupId}`));
}

function describeMembers(it: StoreTest): void {
  it('list their members, and the groups that a member is in by others, too', async ({ stores, processes }) => {
    await addAll(stores, [
      'user:ann in group:web',
      'user:ben in group:web',
      'group:web in group:eng',
      'user:ann in group:all',
    ]);
    await addAll(stores, ['group:eng in group:all', 'user:cat in group:eng']);
    const [other] = processes;
    expect(await groupsOf(other, 'user:ann')).toEqual(['all', 'eng', 'web']);
    expect(await groupsOf(other, 'user:cat')).toEqual(['all', 'eng']);
    expect(await groupsOf(other, 'group:web')).toEqual(['all', 'eng']);
    expect(await groupsOf(other, 'group:all')).toEqual([]);
    expect(await groupsOf(other, 'user:dan')).toEqual([]);
    expect(await membersOf(other, 'eng')).toEqual(['group:web', 'user:cat']);
    expect(await membersOf(other, 'none')).toEqual([]);
    for (const limit of [1, 2]) expect(await membersOf(stores, 'all', limit)).toEqual(['group:eng', 'user:ann']);
  });

  it('are left by one path and still reached by another', async ({ stores }) => {
    await addAll(stores, [
      'user:ann in group:a',
      'user:ann in group:b',
      'group:a in group:top',
      'group:b in group:top',
    ]);
    expect(await stores.groups.remove(toMembership('user:ann in group:a'))).toBe(true);
    expect(await stores.groups.remove(toMembership('user:ann in group:a'))).toBe(false);
    expect(await groupsOf(stores, 'user:ann')).toEqual(['b', 'top']);
    expect(await stores.groups.remove(toMembership('group:b in group:top'))).toBe(true);
    expect(await groupsOf(stores, 'user:ann')).toEqual(['b']);
    expect(await membersOf(stores, 'top')).toEqual(['group:a']);
  });

  it('tell users, groups and tenants apart by code points alone', async ({ stores }) => {
    const texts = [...new Set(awkwardTexts)].toSorted(compareCodePoints);
    const { groups } = stores;
    for (const id of texts) {
      expect(await groups.add({ tenantId: id, groupId: id, member: { userId: id as UserId } })).toBe('added');
      expect(await groups.add({ tenantId: `${id}x`, groupId: id, member: { userId: 'eve' as UserId } })).toBe(
        'other_tenant',
      );
    }
    for (const id of texts) {
      expect(await groups.listGroups({ userId: id as UserId })).toEqual([id]);
      expect((await groups.listMembers(id, { limit: 2, after: null })).items).toEqual([{ userId: id }]);
      expect(await groups.add({ tenantId: 'one', groupId: 'one', member: { userId: id as UserId } })).toBe('added');
    }
    for (const limit of [1, 100]) {
      expect(await membersOf(stores, 'one', limit)).toEqual(texts.map((id) => `user:${id}`));
    }
  });

  it('have the members of before after a change was rolled back, and those of after once it is committed', async ({
    stores,
    processes,
  }) => {
    await addAll(stores, ['user:ann in group:a', 'group:a in group:top']);
    const change = async (inside: TransactionStores): Promise<void> => {
      await inside.groups.remove(toMembership('user:ann in group:a'));
      await addAll(inside, ['user:ann in group:b', 'group:b in group:top', 'user:ben in group:a']);
      expect(await groupsOf(inside, 'user:ann')).toEqual(['b', 'top']);
    };
    await expectRolledBack(stores, change);
    expect(await groupsOf(stores, 'user:ann')).toEqual(['a', 'top']);
    expect(await groupsOf(stores, 'user:ben')).toEqual([]);
    await stores.transaction(change);
    expect(await groupsOf(processes[0], 'user:ann')).toEqual(['b', 'top']);
    expect(await groupsOf(processes[0], 'user:ben')).toEqual(['a', 'top']);
  });
}

function describeRefusals(it: StoreTest): void {
  it('refuse what is there, circles and other tenants, and change nothing then', async ({ stores }) => {
    await addAll(stores, [
      'group:c in group:b',
      'group:b in group:a',
      'user:ann in group:c',
      'group:x in group:y of other',
    ]);
    const add = (text: string) => stores.groups.add(toMembership(text));
    expect(await add('user:ann in group:c')).toBe('present');
    expect(await add('group:a in group:a')).toBe('cycle');
    expect(await add('group:new in group:new')).toBe('cycle');
    expect(await add('group:a in group:c')).toBe('cycle');
    expect(await add('group:a in group:x')).toBe('other_tenant');
    expect(await add('group:x in group:a')).toBe('other_tenant');
    expect(await add('group:x in group:fresh')).toBe('other_tenant');
    expect(await add('user:ann in group:a of other')).toBe('other_tenant');
    expect(await groupsOf(stores, 'user:ann')).toEqual(['a', 'b', 'c']);
    // A refused group does not become one of the tenant that asked.
    await addAll(stores, ['user:eve in group:new of other', 'user:eve in group:fresh of other']);
  });

  it('do not become deeper than allowed, counted from the lowest member', async ({ stores }) => {
    const chain = times(maxGroupDepth).map((at) => `g${at}`);
    await addAll(stores, ['user:ann in group:g0', ...chain.slice(1).map((id, at) => `group:g${at} in group:${id}`)]);
    expect(await groupsOf(stores, 'user:ann')).toEqual(chain);
    const add = (text: string) => stores.groups.add(toMembership(text));
    expect(await add(`group:g${maxGroupDepth - 1} in group:top`)).toBe('too_deep');
    await addAll(stores, ['group:empty in group:g1']);
    expect(await add('group:g0 in group:empty')).toBe('too_deep');
    expect(await add('user:ben in group:empty')).toBe('added');
    expect(await add(`user:ben in group:g${maxGroupDepth - 1}`)).toBe('added');
  });
}

function describeEnds(it: StoreTest): void {
  it('of a tenant are left at once, and no others', async ({ stores }) => {
    await addAll(stores, ['user:ann in group:a', 'user:ann in group:b', 'group:b in group:top', 'user:ben in group:b']);
    await addAll(stores, ['user:ann in group:far of other', 'group:far in group:away of other']);
    const { groups } = stores;
    expect(await groups.leaveTenant('ann' as UserId, 'acme')).toEqual(['a', 'b']);
    expect(await groups.leaveTenant('ann' as UserId, 'acme')).toEqual([]);
    expect(await groupsOf(stores, 'user:ann')).toEqual(['away', 'far']);
    expect(await groupsOf(stores, 'user:ben')).toEqual(['b', 'top']);
    expect(await membersOf(stores, 'a')).toEqual([]);
  });

  it('are deleted with their memberships and roles, by their tenant alone', async ({ stores }) => {
    await addAll(stores, [
      'user:ann in group:low',
      'group:low in group:mid',
      'group:mid in group:top',
      'user:ben in group:mid',
    ]);
    const role = { resource: toResource('project:1'), role: 'viewer' };
    for (const groupId of ['mid', 'top']) await stores.roleAssignments.assign({ groupId, ...role });
    const { groups, roleAssignments } = stores;
    expect(await groups.delete({ tenantId: 'other', groupId: 'mid' })).toBe(false);
    expect(await groups.delete({ tenantId: 'acme', groupId: 'mid' })).toBe(true);
    expect(await groups.delete({ tenantId: 'acme', groupId: 'mid' })).toBe(false);
    expect(await groupsOf(stores, 'user:ann')).toEqual(['low']);
    expect(await groupsOf(stores, 'user:ben')).toEqual([]);
    expect(await membersOf(stores, 'top')).toEqual([]);
    expect(await roleAssignments.listByResource(role.resource)).toEqual([{ groupId: 'top', ...role }]);
    await addAll(stores, ['user:eve in group:mid of other']);
    expect(await groupsOf(stores, 'user:eve')).toEqual(['mid']);
  });

  it('lose a user who is deleted', async ({ stores, records }) => {
    const [ann, ben] = [await signUp(stores, records), await signUp(stores, records)];
    for (const { id } of [ann, ben]) {
      await addAll(stores, [`user:${id} in group:a`, `user:${id} in group:b of other`]);
    }
    await addAll(stores, ['group:a in group:top']);
    await stores.users.delete(ann.id);
    expect(await groupsOf(stores, `user:${ann.id}`)).toEqual([]);
    expect(await membersOf(stores, 'a')).toEqual([`user:${ben.id}`]);
    expect(await groupsOf(stores, `user:${ben.id}`)).toEqual(['a', 'b', 'top']);
  });
}

const names = ['user:0', 'user:1', ...times(6).map((at) => `group:${at}`)];

const change = fc.record({
  kind: fc.constantFrom('add', 'add', 'add', 'remove', 'delete', 'leave'),
  member: fc.constantFrom(...names),
  group: fc.constantFrom(...names.slice(2)),
});

function describeModel(it: StoreTest): void {
  it('follow from the memberships alone, after any changes', async ({ stores, records, rounds }) => {
    let run = 0;
    const agrees = fc.asyncProperty(fc.array(change, { maxLength: 25 }), async (changes) => {
      run += 1;
      const [tenantId, model] = [`tenant ${run}`, new NaiveHierarchy()];
      const own = (name: string): string => `${name} of run ${run}`;
      for (const { kind, member, group } of changes) {
        const [low, high] = [own(member), own(group)];
        const membership = { tenantId, groupId: toResource(high).id, member: toHolder(low) };
        if (kind === 'add') {
          const outcome = model.attach(low, high, maxGroupDepth);
          expect(await stores.groups.add(membership)).toBe(outcome === 'attached' ? 'added' : outcome);
        } else if (kind === 'remove') expect(await stores.groups.remove(membership)).toBe(model.detach(low, high));
        else if (kind === 'delete') {
          await stores.groups.delete({ tenantId, groupId: membership.groupId });
          for (const { child, parent } of model.edges) {
            if (child === high || parent === high) model.detach(child, parent);
          }
        } else {
          const left = model.edges.filter(({ child }) => child === own('user:0'));
          for (const { child, parent } of left) model.detach(child, parent);
          const leaving = await stores.groups.leaveTenant(toResource(own('user:0')).id as UserId, tenantId);
          expect(leaving).toEqual(left.map(({ parent }) => toResource(parent).id).toSorted());
        }
      }
      await expectAgreement(stores, model, names.map(own));
    });
    await fc.assert(agrees, { numRuns: 3 * rounds });
    expect(await stores.groups.listGroups({ userId: records.userId() })).toEqual([]);
  });
}

async function expectAgreement(
  stores: TransactionStores,
  model: NaiveHierarchy,
  all: readonly string[],
): Promise<void> {
  for (const name of all) {
    const above = [...model.related(name, 'up').keys()].map((each) => toResource(each).id);
    expect(await groupsOf(stores, name), name).toEqual(above.toSorted(compareCodePoints));
    if (name.startsWith('user:')) continue;
    const members = model.edges.filter(({ parent }) => parent === name).map(({ child }) => child);
    expect(await membersOf(stores, toResource(name).id, 2), name).toEqual(members.toSorted(compareCodePoints));
  }
}

/** Describes what is guaranteed while several processes change groups at once. */
export function describeGroupRaces(it: StoreTest): void {
  it('refuse exactly one of several concurrent memberships that would close a circle together', async ({
    stores,
    processes,
    rounds,
  }) => {
    for (const round of times(3 * rounds)) {
      const outcomes = await concurrently(processes, times(4), async (each, at) =>
        each.groups.add(toMembership(`group:${round} ${at} in group:${round} ${(at + 1) % 4}`)),
      );
      expect(outcomes.toSorted()).toEqual(['added', 'added', 'added', 'cycle']);
      const above = await Promise.all(times(4).map((at) => groupsOf(stores, `group:${round} ${at}`)));
      expect(above.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    }
  });

  it('belong to one tenant, whichever of several claims them first', async ({ stores, processes, rounds }) => {
    for (const round of times(3 * rounds)) {
      const outcomes = await concurrently(processes, times(4), async (each, at) =>
        each.groups.add(toMembership(`user:${at} in group:claimed ${round} of tenant ${at}`)),
      );
      expect(outcomes.toSorted()).toEqual(['added', ...times(3).map(() => 'other_tenant')]);
      expect(await membersOf(stores, `claimed ${round}`)).toHaveLength(1);
    }
  });

  it('follow from the memberships alone under concurrent changes', async ({ stores, processes }) => {
    await concurrently(processes, times(64), async (each, at) => {
      const user = `user:${at % 7}`;
      const [low, high] = [`group:low ${at % 3}`, `group:high ${at % 2}`];
      if (at % 5 === 0) await each.groups.add(toMembership(`${low} in ${high}`));
      else if (at % 11 === 0) await each.groups.remove(toMembership(`${low} in ${high}`));
      else if (at % 13 === 0) await each.groups.leaveTenant(`${at % 7}` as UserId, 'acme');
      else if (at === 47) await each.groups.delete({ tenantId: 'acme', groupId: 'high 1' });
      else if (at % 3 === 0) await each.groups.remove(toMembership(`${user} in ${low}`));
      else await each.groups.add(toMembership(`${user} in ${low}`));
    });
    const [model, all] = [new NaiveHierarchy(), ['low 0', 'low 1', 'low 2', 'high 0', 'high 1']];
    for (const groupId of all) {
      for (const member of await membersOf(stores, groupId)) model.attach(member, `group:${groupId}`);
    }
    const named = [...times(7).map((at) => `user:${at}`), ...all.map((id) => `group:${id}`)];
    await expectAgreement(stores, model, named);
  });
}
