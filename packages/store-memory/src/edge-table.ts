import type { Resource } from '@x/store';
import { PairTable } from './pair-table.ts';
import { copyResource, toResourceKey } from './resource-key.ts';

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
export type Direction = 'up' | 'down';

/** Returns the resources above or below a resource, each once, with the number of edges of the longest path to it. */
export function walk(edges: EdgeTable, start: string, direction: Direction): ReadonlyMap<string, Reached> {
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
export interface Reached {
  readonly resource: Resource;
  readonly depth: number;
}

/** Says whether a walk up from one resource reaches another; stops when it does. */
export function isAbove(edges: EdgeTable, ancestor: string, descendant: string): boolean {
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
