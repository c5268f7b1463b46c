import type { HierarchyStore } from '@x/store';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { StoreTest } from '../store-test.ts';
import { NaiveHierarchy, toName, toResource } from './naive-hierarchy.ts';

/** Describes that every closure store agrees with a plain list of edges after any steps. */
export function describeHierarchyModel(it: StoreTest): void {
  it('behaves like a plain list of edges under any sequence of steps, also in a transaction', async ({
    stores,
    rounds,
  }) => {
    let run = 0;
    const agrees = fc.asyncProperty(steps, steps, async (before, inside) => {
      run += 1;
      const world = { model: new NaiveHierarchy(), type: `run${run}` };
      await takeSteps(stores.hierarchy, world, before);
      await stores.transaction(async (transaction) => {
        await takeSteps(transaction.hierarchy, world, inside);
        await expectSameHierarchy(transaction.hierarchy, world);
      });
      await expectSameHierarchy(stores.hierarchy, world);
    });
    await fc.assert(agrees, { numRuns: 3 * rounds });
  });
}

type Step = readonly [verb: 'attach' | 'detach' | 'move' | 'remove', first: number, second: number, third: number];

interface World {
  readonly model: NaiveHierarchy;
  /** Of all resources: what one world does touches no other. */
  readonly type: string;
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const place = fc.nat(names.length - 1);

const steps = fc.array(
  fc.tuple(
    fc.constantFrom<Step[0]>('attach', 'attach', 'attach', 'attach', 'attach', 'detach', 'move', 'move', 'remove'),
    place,
    place,
    place,
  ),
  { maxLength: 14 },
);

/** Few levels, so that the limit is met. */
const maxDepth = 4;

async function takeSteps(closure: HierarchyStore, { model, type }: World, taken: readonly Step[]): Promise<void> {
  for (const [verb, ...indexes] of taken) {
    const [first = '', second = '', third = ''] = indexes.map((index) => `${type}:${names[index]}`);
    const [child, parent, to] = [toResource(first), toResource(second), toResource(third)];
    if (verb === 'attach') {
      expect(await closure.attach({ child, parent, maxDepth })).toBe(model.attach(first, second, maxDepth));
    } else if (verb === 'detach') {
      expect(await closure.detach({ child, parent })).toBe(model.detach(first, second));
    } else if (verb === 'move') {
      expect(await closure.move(child, { from: parent, to, maxDepth })).toBe(
        model.move(first, second, third, maxDepth),
      );
    } else {
      const removed = await closure.removeSubtree(child);
      expect(removed.map(toName).toSorted()).toEqual(model.removeSubtree(first).toSorted());
    }
  }
}

async function expectSameHierarchy(closure: HierarchyStore, { model, type }: World): Promise<void> {
  for (const name of names.map((each) => `${type}:${each}`)) {
    const ancestors = await closure.ancestors(toResource(name));
    const descendants = await closure.descendants(toResource(name));
    const toDepths = (related: typeof ancestors): Record<string, number> =>
      Object.fromEntries(related.map(({ resource, depth }) => [toName(resource), depth]));
    expect(toDepths(ancestors)).toEqual(Object.fromEntries(model.related(name, 'up')));
    expect(toDepths(descendants)).toEqual(Object.fromEntries(model.related(name, 'down')));
  }
}
