import {
  type AttachOutcome,
  type HierarchyStore,
  maxHierarchyDepth,
  type MoveOutcome,
  type RelatedResource,
  type Resource,
} from '@x/store';
import { compareRelated, logged, type LoggedChange, type Recorded, recordedIf } from '@x/store/engine';
import { PairTable } from '../database/pair-table.ts';
import type { StepExecutor } from '../database/executor.ts';
import { type EventTable, record } from '../events.ts';
import { type DirectRoles, toAssignments } from './assignment-table.ts';
import { copyResource, toResourceKey } from './resource-key.ts';

/**
 * Creates the hierarchy store. It stores only the edges; everything that follows from them is found by
 * walking.
 */
export function createHierarchyStore(executor: StepExecutor<HierarchyTables>): HierarchyStore {
  return {
    attach: async ({ child, parent, maxDepth = maxHierarchyDepth }, cause) => {
      // Copied first: the caller may change it while the step waits.
      const edge = toEdge(child, parent);
      return record(executor, cause, ({ edges }) => {
        const outcome = attach(edges, edge, maxDepth);
        return { outcome, recorded: outcome === 'attached' ? [logged.edge('resource.attached', edge)] : [] };
      });
    },
    detach: async ({ child, parent }, cause) => {
      const edge = toEdge(child, parent);
      return record(executor, cause, ({ edges }) =>
        recordedIf(detach(edges, edge), logged.edge('resource.detached', edge)),
      );
    },
    move: async (child, { from, to, maxDepth = maxHierarchyDepth }, cause) => {
      const [old, next] = [toEdge(child, from), toEdge(child, to)];
      return record(executor, cause, ({ edges }) => {
        const outcome = move(edges, { old, next, maxDepth });
        const change = logged.move(old.child, { from: old.parent, to: next.parent });
        return { outcome, recorded: outcome === 'moved' ? [change] : [] };
      });
    },
    removeSubtree: async (resource, cause) => {
      const root = copyResource(resource);
      return record(executor, cause, (tables) => removeSubtree(tables, root));
    },
    ancestors: async (resource) => executor.read(({ edges }) => list(edges, resource, 'up')),
    descendants: async (resource) => executor.read(({ edges }) => list(edges, resource, 'down')),
    hasPath: async (ancestor, descendant) =>
      executor.read(({ edges }) => isAbove(edges, toResourceKey(ancestor), toResourceKey(descendant))),
  };
}

/** The tables of the store of the hierarchy: the edges, and the assignments that go with a removed resource. */
interface HierarchyTables {
  readonly edges: EdgeTable;
  readonly assignments: OwnedAssignments;
  readonly events: EventTable;
}

interface OwnedAssignments {
  selectSecond(resourceKey: string): readonly DirectRoles[];
  delete(holderKey: string, resourceKey: string): void;
}

/** Adds an edge, unless that forms a cycle or goes too deep. */
export function attach(edges: EdgeTable, edge: Edge, maxDepth: number): AttachOutcome {
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

/** Removes an edge, and says whether it was there. */
export function detach(edges: EdgeTable, { childKey, parentKey }: Edge): boolean {
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

function removeSubtree({ edges, assignments }: HierarchyTables, root: Resource): Recorded<readonly Resource[]> {
  const rootKey = toResourceKey(root);
  const gone = new Map([[rootKey, root]]);
  // The walk visits a resource only after all of its parents that it visits.
  for (const [key, { resource }] of [...walk(edges, rootKey, 'down')].toSorted(([, a], [, b]) => a.depth - b.depth)) {
    if ([...edges.selectFirst(key)].every(({ parentKey }) => gone.has(parentKey))) gone.set(key, resource);
  }
  const recorded: LoggedChange[] = [];
  let hasChanged = false;
  for (const key of gone.keys()) {
    const all = [...edges.selectFirst(key), ...edges.selectSecond(key)];
    for (const edge of all) edges.delete(edge.childKey, edge.parentKey);
    const roles = [...assignments.selectSecond(key)];
    for (const { holderKey } of roles) assignments.delete(holderKey, key);
    recorded.push(...toAssignments(roles).map((role) => logged.role('role.revoked', role)));
    hasChanged ||= all.length + roles.length > 0;
  }
  const outcome = [...gone.values()];
  return { outcome, recorded: hasChanged ? [...recorded, ...logged.removal(outcome)] : [] };
}

/** Lists the keys of everything below a resource. */
export function keysBelow(edges: EdgeTable, key: string): Iterable<string> {
  return walk(edges, key, 'down').keys();
}

function list(edges: EdgeTable, resource: Resource, direction: Direction): readonly RelatedResource[] {
  return [...walk(edges, toResourceKey(resource), direction).values()].toSorted(compareRelated);
}

/** One direct edge of the hierarchy, with the keys of its ends. */
export interface Edge {
  readonly child: Resource;
  readonly parent: Resource;
  readonly childKey: string;
  readonly parentKey: string;
}

/** The edges of the hierarchy, by child (first key) and parent (second key). */
export type EdgeTable = PairTable<Edge>;

/** Creates an empty table of edges. */
export function createEdgeTable(): EdgeTable {
  return new PairTable<Edge>();
}

/** Builds an edge from the caller's resources. */
export function toEdge(child: Resource, parent: Resource): Edge {
  return {
    child: copyResource(child),
    parent: copyResource(parent),
    childKey: toResourceKey(child),
    parentKey: toResourceKey(parent),
  };
}

/** Which way to walk from a resource. */
type Direction = 'up' | 'down';

/** Returns the resources above or below a resource, each once, with the number of edges of the longest path to it. */
function walk(edges: EdgeTable, start: string, direction: Direction): ReadonlyMap<string, Reached> {
  const reached = new Map<string, Reached>();
  for (const key of inTopologicalOrder(edges, start, direction)) {
    const depth = (reached.get(key)?.depth ?? 0) + 1;
    for (const { resource, nextKey } of neighbours(edges, key, direction)) {
      const known = reached.get(nextKey);
      if (!known || known.depth < depth) reached.set(nextKey, { resource, depth });
    }
  }
  return reached;
}

/** A resource that a walk has reached. */
interface Reached {
  readonly resource: Resource;
  readonly depth: number;
}

/** Says whether a walk up from one resource reaches another; stops when it does. */
function isAbove(edges: EdgeTable, ancestor: string, descendant: string): boolean {
  const seen = new Set([descendant]);
  for (const key of seen) {
    for (const { parentKey } of edges.selectFirst(key)) {
      if (parentKey === ancestor) return true;
      seen.add(parentKey);
    }
  }
  return false;
}

/** Lists the start and everything a walk reaches, each after everything that leads to it. */
function inTopologicalOrder(edges: EdgeTable, start: string, direction: Direction): readonly string[] {
  const finished = new Set<string>();
  const open: { readonly key: string; readonly rest: Iterator<Neighbour> }[] = [];
  const enter = (key: string): void =>
    void open.push({ key, rest: neighbours(edges, key, direction)[Symbol.iterator]() });
  enter(start);
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const next = top.rest.next();
    if (!next.done && !finished.has(next.value.nextKey)) enter(next.value.nextKey);
    else if (next.done) {
      finished.add(top.key);
      open.pop();
    }
  }
  return [...finished].toReversed();
}

interface Neighbour {
  readonly resource: Resource;
  readonly nextKey: string;
}

function* neighbours(edges: EdgeTable, key: string, direction: Direction): Generator<Neighbour> {
  if (direction === 'up') {
    for (const edge of edges.selectFirst(key)) yield { resource: edge.parent, nextKey: edge.parentKey };
  } else {
    for (const edge of edges.selectSecond(key)) yield { resource: edge.child, nextKey: edge.childKey };
  }
}
