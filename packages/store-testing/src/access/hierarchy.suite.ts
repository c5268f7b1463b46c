import { type HierarchyStore, maxHierarchyDepth, type RelatedResource, type Stores } from '@x/store';
import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { expectRolledBack } from '../in-transaction.ts';
import type { StoreTest } from '../store-test.ts';
import { describeHierarchyModel } from './hierarchy-model.suite.ts';
import { toName, toResource } from './naive-hierarchy.ts';

/** Describes what every closure store does. */
export function describeHierarchy(it: StoreTest): void {
  describe('hierarchy', () => {
    describeAttaching(it);
    describeDepth(it);
    describeMoving(it);
    describeRemoving(it);
    describeHierarchyModel(it);
  });
}

const attach = (closure: HierarchyStore, child: string, parent: string, maxDepth?: number): Promise<string> =>
  closure.attach({
    child: toResource(child),
    parent: toResource(parent),
    ...(maxDepth !== undefined && { maxDepth }),
  });

async function ancestorsOf(stores: Pick<Stores, 'hierarchy'>, name: string): Promise<Record<string, number>> {
  const related = await stores.hierarchy.ancestors(toResource(name));
  return Object.fromEntries(related.map(({ resource, depth }) => [toName(resource), depth]));
}

async function descendantsOf(stores: Pick<Stores, 'hierarchy'>, name: string): Promise<Record<string, number>> {
  const related = await stores.hierarchy.descendants(toResource(name));
  return Object.fromEntries(related.map(({ resource, depth }) => [toName(resource), depth]));
}

function describeAttaching(it: StoreTest): void {
  it('places an attached resource below its parent and everything above that', async ({ stores }) => {
    expect(await attach(stores.hierarchy, 'task:t', 'project:p')).toBe('attached');
    expect(await attach(stores.hierarchy, 'project:p', 'organization:o')).toBe('attached');
    expect(await ancestorsOf(stores, 'task:t')).toEqual({ 'project:p': 1, 'organization:o': 2 });
    expect(await descendantsOf(stores, 'organization:o')).toEqual({ 'project:p': 1, 'task:t': 2 });
    expect(await stores.hierarchy.hasPath(toResource('organization:o'), toResource('task:t'))).toBe(true);
    expect(await stores.hierarchy.hasPath(toResource('task:t'), toResource('organization:o'))).toBe(false);
  });

  it('lists the nearest relatives first', async ({ stores }) => {
    for (const level of [3, 1, 0, 2]) await attach(stores.hierarchy, `folder:${level + 1}`, `folder:${level}`);
    const [up, down] = [toResource('folder:4'), toResource('folder:0')];
    expect((await stores.hierarchy.ancestors(up)).map(({ depth }) => depth)).toEqual([1, 2, 3, 4]);
    expect((await stores.hierarchy.descendants(down)).map(({ depth }) => depth)).toEqual([1, 2, 3, 4]);
  });

  it('lists relatives that are as near by type and id', async ({ stores }) => {
    for (const parent of ['project:b', 'folder:c', 'project:a']) await attach(stores.hierarchy, 'task:t', parent);
    for (const child of ['task:v', 'note:w', 'task:u']) await attach(stores.hierarchy, child, 'project:b');
    const [up, down] = [toResource('task:t'), toResource('project:b')];
    const namesOf = (related: readonly RelatedResource[]) => related.map(({ resource }) => toName(resource));
    expect(namesOf(await stores.hierarchy.ancestors(up))).toEqual(['folder:c', 'project:a', 'project:b']);
    expect(namesOf(await stores.hierarchy.descendants(down))).toEqual(['note:w', 'task:t', 'task:u', 'task:v']);
  });

  it('places no resource above itself, and finds no relatives of an unknown one', async ({ stores }) => {
    await attach(stores.hierarchy, 'a:1', 'b:1');
    expect(await stores.hierarchy.hasPath(toResource('a:1'), toResource('a:1'))).toBe(false);
    expect(await ancestorsOf(stores, 'b:1')).toEqual({});
    expect(await descendantsOf(stores, 'c:1')).toEqual({});
  });

  it('changes nothing when a resource is attached twice', async ({ stores }) => {
    await attach(stores.hierarchy, 'a:1', 'b:1');
    expect(await attach(stores.hierarchy, 'a:1', 'b:1')).toBe('present');
    expect(await ancestorsOf(stores, 'a:1')).toEqual({ 'b:1': 1 });
  });

  it('uses the longest path to a resource that is reached through two parents', async ({ stores }) => {
    await attach(stores.hierarchy, 'a:bottom', 'a:left');
    await attach(stores.hierarchy, 'a:bottom', 'a:top');
    await attach(stores.hierarchy, 'a:left', 'a:top');
    expect(await ancestorsOf(stores, 'a:bottom')).toEqual({ 'a:left': 1, 'a:top': 2 });
  });

  it('refuses a cycle and changes nothing', async ({ stores }) => {
    expect(await attach(stores.hierarchy, 'a:1', 'a:1')).toBe('cycle');
    await attach(stores.hierarchy, 'a:2', 'a:1');
    await attach(stores.hierarchy, 'a:3', 'a:2');
    expect(await attach(stores.hierarchy, 'a:1', 'a:2')).toBe('cycle');
    expect(await attach(stores.hierarchy, 'a:1', 'a:3')).toBe('cycle');
    expect(await ancestorsOf(stores, 'a:1')).toEqual({});
    expect(await ancestorsOf(stores, 'a:3')).toEqual({ 'a:2': 1, 'a:1': 2 });
  });

  it('tells types and ids apart by code points alone', async ({ stores }) => {
    const parent = { type: 'root', id: 'root' };
    for (const text of awkwardTexts) await stores.hierarchy.attach({ child: { type: text, id: 'x' }, parent });
    for (const text of awkwardTexts)
      await stores.hierarchy.attach({ child: { type: 'x', id: text }, parent: { type: text, id: 'x' } });
    for (const text of awkwardTexts) {
      const ancestors = await stores.hierarchy.ancestors({ type: 'x', id: text });
      // Of one of them the type is `x`, as of all children, but none of their ids is.
      expect(ancestors.map(({ resource }) => resource)).toEqual([{ type: text, id: 'x' }, parent]);
    }
  });

  it('is not affected when the caller changes a resource afterwards', async ({ stores }) => {
    const [child, parent] = [
      { type: 'a', id: '1' },
      { type: 'b', id: '1' },
    ];
    await stores.hierarchy.attach({ child, parent });
    parent.id = '2';
    child.id = '2';
    expect(await ancestorsOf(stores, 'a:1')).toEqual({ 'b:1': 1 });
  });

  it('shows no path of an attachment that was rolled back', async ({ stores }) => {
    await attach(stores.hierarchy, 'b:1', 'c:1');
    await expectRolledBack(stores, async (inside) => {
      await attach(inside.hierarchy, 'a:1', 'b:1');
      expect(await ancestorsOf(inside, 'a:1')).toEqual({ 'b:1': 1, 'c:1': 2 });
    });
    expect(await ancestorsOf(stores, 'a:1')).toEqual({});
    expect(await descendantsOf(stores, 'c:1')).toEqual({ 'b:1': 1 });
  });
}

function describeDepth(it: StoreTest): void {
  it('allows 32 levels and refuses a 33rd, also when attached from below', async ({ stores }) => {
    for (let level = 0; level < maxHierarchyDepth; level += 1) {
      expect(await attach(stores.hierarchy, `f:${level + 1}`, `f:${level}`)).toBe('attached');
    }
    expect(await attach(stores.hierarchy, 'f:33', 'f:32')).toBe('too_deep');
    expect(await attach(stores.hierarchy, 'f:0', 'f:-1')).toBe('too_deep');
    expect(Object.keys(await ancestorsOf(stores, 'f:32'))).toHaveLength(32);
    expect(await stores.hierarchy.hasPath(toResource('f:0'), toResource('f:32'))).toBe(true);
  });

  it('limits the levels above the parent and below the child together', async ({ stores }) => {
    for (const [child, parent] of [
      ['b', 'a'],
      ['c', 'b'],
      ['y', 'x'],
      ['z', 'y'],
    ] as const) {
      await attach(stores.hierarchy, `f:${child}`, `f:${parent}`);
    }
    expect(await attach(stores.hierarchy, 'f:x', 'f:c', 4)).toBe('too_deep');
    expect(await ancestorsOf(stores, 'f:z')).toEqual({ 'f:y': 1, 'f:x': 2 });
    expect(await attach(stores.hierarchy, 'f:x', 'f:c', 5)).toBe('attached');
  });

  it('allows more levels if the caller says so', async ({ stores }) => {
    for (let level = 0; level < 50; level += 1) {
      expect(await attach(stores.hierarchy, `f:${level + 1}`, `f:${level}`, 50)).toBe('attached');
    }
    expect((await stores.hierarchy.ancestors(toResource('f:50'))).at(-1)).toEqual({
      resource: toResource('f:0'),
      depth: 50,
    });
  });
}

function describeMoving(it: StoreTest): void {
  it('moves a resource together with everything below it', async ({ stores }) => {
    await attach(stores.hierarchy, 'task:t', 'project:p');
    await attach(stores.hierarchy, 'project:p', 'org:old');
    await attach(stores.hierarchy, 'org:new', 'group:g');
    const ends = { from: toResource('org:old'), to: toResource('org:new') };
    expect(await stores.hierarchy.move(toResource('project:p'), ends)).toBe('moved');
    expect(await ancestorsOf(stores, 'task:t')).toEqual({ 'project:p': 1, 'org:new': 2, 'group:g': 3 });
    expect(await descendantsOf(stores, 'org:old')).toEqual({});
  });

  it('moves thousands of resources, some of which are below another one, too', async ({ stores }) => {
    const names = Array.from({ length: 1200 }, (_, index) => `${index % 2 === 0 ? 'file' : 'folder'}:${index}`);
    await stores.transaction(async ({ hierarchy }) => {
      await attach(hierarchy, 'folder:old', 'folder:top');
      await attach(hierarchy, 'folder:root', 'folder:old');
      for (const name of names) await attach(hierarchy, name, 'folder:root');
      for (const name of names.slice(-2)) await attach(hierarchy, name, 'folder:old');
    });
    const ends = { from: toResource('folder:old'), to: toResource('folder:new') };
    expect(await stores.hierarchy.move(toResource('folder:root'), ends)).toBe('moved');
    expect(await descendantsOf(stores, 'folder:new')).toEqual({
      'folder:root': 1,
      ...Object.fromEntries(names.map((name) => [name, 2])),
    });
    const left = Object.fromEntries(names.slice(-2).map((name) => [name, 1]));
    expect(await descendantsOf(stores, 'folder:old')).toEqual(left);
    expect(await ancestorsOf(stores, names[0] ?? '')).toEqual({ 'folder:root': 1, 'folder:new': 2 });
  });

  it('keeps a path through another parent after a move', async ({ stores }) => {
    for (const [child, parent] of [
      ['doc', 'left'],
      ['doc', 'right'],
      ['left', 'top'],
      ['right', 'top'],
    ] as const) {
      await attach(stores.hierarchy, `f:${child}`, `f:${parent}`);
    }
    const ends = { from: toResource('f:left'), to: toResource('f:other') };
    expect(await stores.hierarchy.move(toResource('f:doc'), ends)).toBe('moved');
    expect(await ancestorsOf(stores, 'f:doc')).toEqual({ 'f:right': 1, 'f:other': 1, 'f:top': 2 });
  });

  it('refuses to move a resource below itself, from where it is not, or too deep', async ({ stores }) => {
    await attach(stores.hierarchy, 'f:b', 'f:a');
    await attach(stores.hierarchy, 'f:c', 'f:b');
    await attach(stores.hierarchy, 'f:y', 'f:x');
    const move = (from: string, to: string, maxDepth?: number): Promise<string> =>
      stores.hierarchy.move(toResource('f:b'), {
        from: toResource(from),
        to: toResource(to),
        ...(maxDepth !== undefined && { maxDepth }),
      });
    expect(await move('f:a', 'f:c')).toBe('cycle');
    expect(await move('f:a', 'f:b')).toBe('cycle');
    expect(await move('f:x', 'f:y')).toBe('missing');
    expect(await move('f:a', 'f:y', 2)).toBe('too_deep');
    expect(await ancestorsOf(stores, 'f:c')).toEqual({ 'f:b': 1, 'f:a': 2 });
    expect(await move('f:a', 'f:a')).toBe('moved');
    expect(await ancestorsOf(stores, 'f:c')).toEqual({ 'f:b': 1, 'f:a': 2 });
  });

  it('keeps everything below a detached resource', async ({ stores }) => {
    await attach(stores.hierarchy, 'f:b', 'f:a');
    await attach(stores.hierarchy, 'f:c', 'f:b');
    expect(await stores.hierarchy.detach({ child: toResource('f:b'), parent: toResource('f:a') })).toBe(true);
    expect(await stores.hierarchy.detach({ child: toResource('f:b'), parent: toResource('f:a') })).toBe(false);
    expect(await ancestorsOf(stores, 'f:c')).toEqual({ 'f:b': 1 });
    expect(await descendantsOf(stores, 'f:a')).toEqual({});
  });
}

function describeRemoving(it: StoreTest): void {
  it('removes a subtree with its roles, except what is also below another resource', async ({ stores, records }) => {
    const userId = records.userId();
    const edges = [
      ['p1', 'o'],
      ['p2', 'o'],
      ['t1', 'p1'],
      ['t2', 'p1'],
      ['t2', 'q'],
      ['c2', 't2'],
      ['o', 'g'],
    ] as const;
    for (const [child, parent] of edges) await attach(stores.hierarchy, `x:${child}`, `x:${parent}`);
    for (const id of ['o', 'p2', 't1', 't2', 'q', 'g']) {
      await stores.roleAssignments.assign({ userId, resource: { type: 'x', id }, role: 'r' });
    }
    const removed = await stores.hierarchy.removeSubtree(toResource('x:o'));
    expect(removed.map(toName)[0]).toBe('x:o');
    expect(removed.map(toName).toSorted()).toEqual(['x:o', 'x:p1', 'x:p2', 'x:t1']);
    expect(await ancestorsOf(stores, 'x:c2')).toEqual({ 'x:t2': 1, 'x:q': 2 });
    expect(await descendantsOf(stores, 'x:g')).toEqual({});
    const left = await stores.roleAssignments.listByUser(userId);
    expect(left.map(({ resource }) => resource.id).toSorted()).toEqual(['g', 'q', 't2']);
  });

  it('removes the paths through a removed resource from what stays below another one', async ({ stores }) => {
    const edges = [
      ['a', 'top'],
      ['b', 'a'],
      ['c', 'b'],
      ['c', 'side'],
      ['d', 'c'],
      ['d', 'b'],
    ] as const;
    for (const [child, parent] of edges) await attach(stores.hierarchy, `x:${child}`, `x:${parent}`);
    expect((await stores.hierarchy.removeSubtree(toResource('x:b'))).map(toName)).toEqual(['x:b']);
    expect(await ancestorsOf(stores, 'x:d')).toEqual({ 'x:c': 1, 'x:side': 2 });
    expect(await descendantsOf(stores, 'x:top')).toEqual({ 'x:a': 1 });
  });

  it('removes a resource without edges with its roles', async ({ stores, records }) => {
    const resource = { type: 'x', id: '1' };
    await stores.roleAssignments.assign({ userId: records.userId(), resource, role: 'r' });
    expect(await stores.hierarchy.removeSubtree(resource)).toEqual([resource]);
    expect(await stores.roleAssignments.listByResource(resource)).toEqual([]);
  });

  it('leaves everything in place when a removal is rolled back', async ({ stores, records }) => {
    const userId = records.userId();
    await attach(stores.hierarchy, 'x:b', 'x:a');
    await attach(stores.hierarchy, 'x:c', 'x:b');
    await stores.roleAssignments.assign({ userId, resource: toResource('x:c'), role: 'r' });
    await expectRolledBack(stores, async (inside) => {
      await inside.hierarchy.removeSubtree(toResource('x:b'));
      expect(await descendantsOf(inside, 'x:a')).toEqual({});
      expect(await inside.roleAssignments.listByUser(userId)).toEqual([]);
    });
    expect(await descendantsOf(stores, 'x:a')).toEqual({ 'x:b': 1, 'x:c': 2 });
    expect(await stores.roleAssignments.listByUser(userId)).toHaveLength(1);
  });
}
