import {
  maxHierarchyDepth,
  type AttachOutcome,
  type HierarchyStore,
  type MoveOutcome,
  type RelatedResource,
  type Resource,
} from '@x/store';
import { isAbove, toEdge, walk, type Direction, type Edge, type EdgeTable } from './edge-table.ts';
import { copyResource, toResourceKey } from './resource-key.ts';
import type { Scope } from './scope.ts';
import type { Tables } from './tables.ts';

/**
 * Creates the closure store of a scope. It stores only the edges; everything that follows from them is found by
 * walking.
 */
export function createClosureStore(scope: Scope): HierarchyStore {
  return {
    attach: async (child, parent, maxDepth = maxHierarchyDepth) => {
      // Copied before the step may have to wait for its turn.
      const edge = toEdge(child, parent);
      return scope.write(({ edges }) => attach(edges, edge, maxDepth));
    },
    detach: async (child, parent) => {
      const edge = toEdge(child, parent);
      return scope.write(({ edges }) => detach(edges, edge));
    },
    move: async (child, { from, to }, maxDepth = maxHierarchyDepth) => {
      const [old, next] = [toEdge(child, from), toEdge(child, to)];
      return scope.write(({ edges }) => move(edges, { old, next, maxDepth }));
    },
    removeSubtree: async (resource) => {
      const root = copyResource(resource);
      return scope.write((tables) => removeSubtree(tables, root));
    },
    ancestors: async (resource) => scope.read(({ edges }) => list(edges, resource, 'up')),
    descendants: async (resource) => scope.read(({ edges }) => list(edges, resource, 'down')),
    hasPath: async (ancestor, descendant) =>
      scope.read(({ edges }) => isAbove(edges, toResourceKey(ancestor), toResourceKey(descendant))),
  };
}

function attach(edges: EdgeTable, edge: Edge, maxDepth: number): AttachOutcome {
  if (edges.get(edge.childKey, edge.parentKey)) return 'present';
  const refusal = findRefusal(edges, edge, maxDepth);
  if (refusal) return refusal;
  edges.put(edge.childKey, edge.parentKey, edge);
  return 'attached';
}

function findRefusal(
  edges: EdgeTable,
  { childKey, parentKey }: Edge,
  maxDepth: number,
): 'cycle' | 'too_deep' | undefined {
  if (childKey === parentKey || isAbove(edges, childKey, parentKey)) return 'cycle';
  const depth = heightOf(edges, parentKey, 'up') + 1 + heightOf(edges, childKey, 'down');
  return depth > maxDepth ? 'too_deep' : undefined;
}

function heightOf(edges: EdgeTable, key: string, direction: Direction): number {
  let height = 0;
  for (const { depth } of walk(edges, key, direction).values()) height = Math.max(height, depth);
  return height;
}

function detach(edges: EdgeTable, { childKey, parentKey }: Edge): boolean {
  if (!edges.get(childKey, parentKey)) return false;
  edges.delete(childKey, parentKey);
  return true;
}

function move(
  edges: EdgeTable,
  { old, next, maxDepth }: { readonly old: Edge; readonly next: Edge; readonly maxDepth: number },
): MoveOutcome {
  if (!edges.get(old.childKey, old.parentKey)) return 'missing';
  // The old edge leads to nothing above the new parent; otherwise it would form a cycle.
  const refusal = findRefusal(edges, next, maxDepth);
  if (refusal) return refusal;
  edges.delete(old.childKey, old.parentKey);
  edges.put(next.childKey, next.parentKey, next);
  return 'moved';
}

function removeSubtree({ edges, assignments }: Tables, root: Resource): readonly Resource[] {
  const rootKey = toResourceKey(root);
  const gone = new Map([[rootKey, root]]);
  // The walk visits a resource only after all of its parents that it visits.
  for (const [key, { resource }] of [...walk(edges, rootKey, 'down')].toSorted(([, a], [, b]) => a.depth - b.depth)) {
    if ([...edges.selectFirst(key)].every(({ parentKey }) => gone.has(parentKey))) gone.set(key, resource);
  }
  for (const key of gone.keys()) {
    for (const edge of [...edges.selectFirst(key), ...edges.selectSecond(key)]) {
      edges.delete(edge.childKey, edge.parentKey);
    }
    for (const { userId } of [...assignments.selectSecond(key)]) assignments.delete(userId, key);
  }
  return [...gone.values()];
}

function list(edges: EdgeTable, resource: Resource, direction: Direction): readonly RelatedResource[] {
  return [...walk(edges, toResourceKey(resource), direction).values()].toSorted((a, b) => a.depth - b.depth);
}
