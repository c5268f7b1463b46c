import { type AttachOutcome, maxHierarchyDepth, type MoveOutcome, type Resource } from '@x/store';

interface Edge {
  readonly child: string;
  readonly parent: string;
}

/** The hierarchy as a plain list of edges, read as the contract says and no cleverer; resources are named by a text. */
export class NaiveHierarchy {
  #edges: readonly Edge[] = [];

  get edges(): readonly Edge[] {
    return this.#edges;
  }

  attach(child: string, parent: string, maxDepth: number = maxHierarchyDepth): AttachOutcome {
    if (this.#has(child, parent)) return 'present';
    const refusal = this.#findRefusal([...this.#edges, { child, parent }], maxDepth);
    if (refusal) return refusal;
    this.#edges = [...this.#edges, { child, parent }];
    return 'attached';
  }

  detach(child: string, parent: string): boolean {
    const had = this.#has(child, parent);
    this.#edges = this.#edges.filter((edge) => !(edge.child === child && edge.parent === parent));
    return had;
  }

  move(child: string, from: string, to: string, maxDepth: number = maxHierarchyDepth): MoveOutcome {
    if (!this.#has(child, from)) return 'missing';
    const others = this.#edges.filter((edge) => edge.child !== child || (edge.parent !== from && edge.parent !== to));
    const next = [...others, { child, parent: to }];
    const refusal = this.#findRefusal(next, maxDepth);
    if (refusal) return refusal;
    this.#edges = next;
    return 'moved';
  }

  /** Removes a resource, and then, as long as there are any, those below it that lost their last parent. */
  removeSubtree(root: string): readonly string[] {
    const gone: string[] = [];
    for (const name of [root, ...this.related(root, 'down').keys()]) {
      const orphaned = this.#edges.every((edge) => edge.child !== name || gone.includes(edge.parent));
      if (name === root || orphaned) gone.push(name);
    }
    this.#edges = this.#edges.filter((edge) => !gone.includes(edge.child) && !gone.includes(edge.parent));
    return gone;
  }

  /** Returns what is above or below a resource with the length of the longest path, the nearest first. */
  related(name: string, direction: 'up' | 'down', edges: readonly Edge[] = this.#edges): ReadonlyMap<string, number> {
    const depths = new Map<string, number>();
    const follow = (from: string, depth: number): void => {
      // A path that is longer than there are edges goes in a circle.
      if (depth > edges.length) return;
      for (const { child, parent } of edges) {
        const [near, far] = direction === 'up' ? [child, parent] : [parent, child];
        if (near !== from) continue;
        depths.set(far, Math.max(depths.get(far) ?? 0, depth));
        follow(far, depth + 1);
      }
    };
    follow(name, 1);
    return new Map([...depths].toSorted(([, a], [, b]) => a - b));
  }

  #has(child: string, parent: string): boolean {
    return this.#edges.some((edge) => edge.child === child && edge.parent === parent);
  }

  #findRefusal(edges: readonly Edge[], maxDepth: number): 'cycle' | 'too_deep' | undefined {
    const names = [...new Set(edges.flatMap(({ child, parent }) => [child, parent]))];
    if (names.some((name) => this.related(name, 'up', edges).has(name))) return 'cycle';
    const longest = Math.max(...names.flatMap((name) => [...this.related(name, 'up', edges).values()]));
    return longest > maxDepth ? 'too_deep' : undefined;
  }
}

/** Reads `folder:a` as a resource. */
export function toResource(name: string): Resource {
  const [type = '', id = ''] = name.split(':');
  return { type, id };
}

/** Writes a resource as `folder:a`. */
export function toName({ type, id }: Resource): string {
  return `${type}:${id}`;
}
