import type { Resource } from './resource.ts';

/** How many edges the longest way down from a resource to another may have, where nobody says otherwise. */
export const maxHierarchyDepth = 32;

/** A resource above or below another one. */
export interface RelatedResource {
  readonly resource: Resource;
  /** How many edges the longest path between the two has, 1 or more. */
  readonly depth: number;
}

/** What came of a wish to put a resource under another; all but the first change nothing. */
export type AttachOutcome = 'attached' | 'present' | 'cycle' | 'too_deep';

/** What came of a wish to move a resource; all but the first change nothing. */
export type MoveOutcome = 'moved' | 'missing' | 'cycle' | 'too_deep';

/**
 * The hierarchy of resources: direct edges from parents to children, and what follows from them. A resource may have
 * several parents; no resource is ever above itself, whatever happens at once. A resource without edges needs no entry.
 *
 * Steps that change the hierarchy go one after another, also those of other processes: in a transaction, others wait until
 * it is over. Only those about different resources that have nothing below them need not wait for each other.
 */
export interface ClosureStore {
  /**
   * Puts a resource, with all that is below it, under one more parent.
   *
   * `present`: it is there already; `cycle`: it is the parent or above it; `too_deep`: some path would become longer than
   * `maxDepth` edges.
   */
  attach(child: Resource, parent: Resource, maxDepth?: number): Promise<AttachOutcome>;

  /** Takes a resource, with all that is below it, away from one of its parents, and says whether it was there. */
  detach(child: Resource, parent: Resource): Promise<boolean>;

  /**
   * Takes a resource, with all that is below it, from one parent to another; its other parents stay.
   *
   * `missing`: it is not under `from`; `cycle` and `too_deep` as for {@link attach}.
   */
  move(
    child: Resource,
    ends: { readonly from: Resource; readonly to: Resource },
    maxDepth?: number,
  ): Promise<MoveOutcome>;

  /**
   * Removes a resource and whatever is only below it, together with the roles that anybody holds there, and returns
   * what was removed, the resource first. What is below it and also below something that stays, stays there.
   */
  removeSubtree(resource: Resource): Promise<readonly Resource[]>;

  /** Lists all that is above a resource, the nearest first. */
  ancestors(resource: Resource): Promise<readonly RelatedResource[]>;

  /** Lists all that is below a resource, the nearest first. */
  descendants(resource: Resource): Promise<readonly RelatedResource[]>;

  /** Says whether one resource is above another one; none is above itself. */
  hasPath(ancestor: Resource, descendant: Resource): Promise<boolean>;
}
