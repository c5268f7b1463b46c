import type { Resource, RequiredRoles, UserId } from '@x/store';
import type { Holding } from './assignment-table.ts';
import type { Edge, EdgeTable } from './edge-table.ts';
import { toResourceKey } from './resource-key.ts';
import type { Tables } from './tables.ts';

/** Looks for a sufficient role, on the way up. */
export class RoleSearch {
  readonly #edges: EdgeTable;
  /** The resources on which roles count; undefined for all. */
  readonly #from: ReadonlySet<string> | undefined;
  /** What the user holds, by the key of the resource. */
  readonly #held: ReadonlyMap<string, Holding>;
  /** Places that were searched without success; undefined as long as nothing can be reached twice. */
  #failed: Map<RequiredRoles, Set<string>> | undefined;

  constructor(
    { assignments, edges }: Pick<Tables, 'assignments' | 'edges'>,
    userId: UserId,
    from?: readonly Resource[],
  ) {
    this.#from = from && new Set(from.map(toResourceKey));
    this.#edges = edges;
    this.#held = assignments.groupFirst(userId);
  }

  finds(resourceKey: string, goalThere: RequiredRoles): boolean {
    for (let [key, goal] = [resourceKey, goalThere]; ;) {
      if (this.#counts(key) && isEnough(this.#held.get(key), goal)) return true;
      const above = this.#edges.selectFirst(key);
      const [edge] = above;
      if (!edge) return false;
      if (above.length > 1) return this.#findsAbove(key, goal, above);
      const next = goal.above(edge.parent.type);
      if (!next) return false;
      [key, goal] = [edge.parentKey, next];
    }
  }

  #counts(key: string): boolean {
    return this.#from === undefined || this.#from.has(key);
  }

  #findsAbove(key: string, goal: RequiredRoles, above: readonly Edge[]): boolean {
    const failed = (this.#failed ??= new Map());
    const keys = failed.get(goal) ?? new Set();
    if (keys.has(key)) return false;
    // Recorded before the result is known: no resource is above itself, so nobody asks meanwhile.
    failed.set(goal, keys.add(key));
    return above.some(({ parent, parentKey }) => {
      const next = goal.above(parent.type);
      return next !== undefined && this.finds(parentKey, next);
    });
  }
}

function isEnough(holding: Holding | undefined, goal: RequiredRoles): boolean {
  if (!holding) return false;
  for (const role of holding.roles) if (goal.roles.has(role)) return true;
  return false;
}
