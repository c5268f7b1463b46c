import { expect } from 'vitest';
import { concurrently, times } from '../concurrently.ts';
import { sampleTask } from '../entity/sample-entities.ts';
import type { StoreTest } from '../store-test.ts';
import { listGranted } from './granted-resources.suite.ts';
import { NaiveHierarchy, toName, toResource } from './naive-hierarchy.ts';

/** Describes what is guaranteed while several processes change the hierarchy at once. */
export function describeHierarchyRaces(it: StoreTest): void {
  it('refuses exactly one of several concurrent attachments that would close a cycle together', async ({
    stores,
    processes,
    rounds,
  }) => {
    for (const round of times(5 * rounds)) {
      const ring = times(4).map((index) => toResource(`r${round}:${index}`));
      const outcomes = await concurrently(processes, ring, async (each, resource) => {
        const next = ring[(Number(resource.id) + 1) % ring.length] ?? resource;
        return each.hierarchy.attach({ child: resource, parent: next });
      });
      expect(outcomes.filter((outcome) => outcome === 'cycle')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'attached')).toHaveLength(3);
      const depths = await Promise.all(ring.map((resource) => stores.hierarchy.ancestors(resource)));
      expect(depths.map((related) => related.length).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    }
  });

  it('builds a whole chain from concurrent attachments of all its links', async ({ stores, processes }) => {
    const levels = times(20);
    await concurrently(processes, levels, async (each, level) =>
      each.hierarchy.attach({ child: toResource(`f:${level + 1}`), parent: toResource(`f:${level}`) }),
    );
    const ancestors = await stores.hierarchy.ancestors(toResource('f:20'));
    expect(ancestors.map(({ depth }) => depth)).toEqual(times(20).map((index) => index + 1));
  });

  it('keeps the hierarchy consistent with its edges under concurrent attachments, moves and removals', async ({
    stores,
    records,
    processes,
  }) => {
    const userId = records.userId();
    for (const id of ['o:0', 'o:1']) {
      await stores.roleAssignments.assign({ userId, resource: toResource(id), role: 'r' });
    }
    await stores.hierarchy.attach({ child: toResource('p:0'), parent: toResource('o:0') });
    await concurrently(processes, times(48), async (each, index) => {
      const [task, project] = [toResource(`t:${index % 16}`), toResource(`p:${index % 3}`)];
      if (index % 8 === 7) {
        await each.hierarchy.move(toResource('p:0'), {
          from: toResource(`o:${index % 2}`),
          to: toResource(`o:${(index + 1) % 2}`),
        });
      } else if (index % 8 === 3) await each.hierarchy.detach({ child: task, parent: project });
      else if (index === 29) await each.hierarchy.removeSubtree(toResource('p:1'));
      else await each.hierarchy.attach({ child: task, parent: project });
    });
    const resources = [...times(16).map((index) => `t:${index}`), 'p:0', 'p:1', 'p:2', 'o:0', 'o:1'].map(toResource);
    const model = new NaiveHierarchy();
    for (const { resource, parents } of await stores.roleAssignments.readPaths(userId, resources)) {
      for (const parent of parents) model.attach(toName(resource), toName(parent.resource));
    }
    for (const resource of resources) {
      const ancestors = await stores.hierarchy.ancestors(resource);
      const found = Object.fromEntries(ancestors.map(({ resource, depth }) => [toName(resource), depth]));
      expect(found).toEqual(Object.fromEntries(model.related(toName(resource), 'up')));
    }
    for (const index of times(16)) await stores.entities.create('tasks', sampleTask({ id: `${index}` }));
    const listed = await listGranted(stores, { userId, type: 't', roles: ['r'], inheritance });
    const below = [...model.related('o:0', 'down').keys(), ...model.related('o:1', 'down').keys()];
    expect(listed.map((id) => `t:${id}`).toSorted()).toEqual(below.filter((name) => name.startsWith('t')).toSorted());
  });
}

/** A role on `o` is one on all that is below it. */
const inheritance = (['o p', 'p t'] as const).map((types) => {
  const [parent = '', child = ''] = types.split(' ');
  return { parent: { type: parent, role: 'r' }, child: { type: child, role: 'r' } };
});
