/** Identifies something that roles are assigned on, such as one project. */
export interface Resource {
  /** The name of its type in the access definition. */
  readonly type: string;
  readonly id: string;
}

/** The default maximum depth of the hierarchy, in edges. */
export const maxHierarchyDepth = 32;

/** A resource above or below another one. */
export interface RelatedResource {
  readonly resource: Resource;
  /** The number of edges of the longest path between the two, 1 or more. */
  readonly depth: number;
}

/** The outcome of attaching a resource; only `attached` changes anything. */
export type AttachOutcome = 'attached' | 'present' | 'cycle' | 'too_deep';

/** The outcome of moving a resource; only `moved` changes anything. */
export type MoveOutcome = 'moved' | 'missing' | 'cycle' | 'too_deep';

/**
 * The hierarchy of resources: edges from parents to children, and what follows from them. A resource may have several
 * parents, but never becomes its own ancestor, whatever happens concurrently. A resource without edges needs no entry.
 *
 * Changes of the hierarchy are serialized across all processes: if one is made in a transaction, others wait until it
 * ends. Only changes that concern different resources without descendants may run concurrently.
 */
export interface HierarchyStore {
  /**
   * Attaches a resource, with everything below it, to one more parent.
   *
   * `present`: it is already attached; `cycle`: it is the parent itself or above it; `too_deep`: some path would become
   * longer than `maxDepth` edges.
   */
  attach(child: Resource, parent: Resource, maxDepth?: number): Promise<AttachOutcome>;

  /** Detaches a resource, with everything below it, from one of its parents, and says whether it was attached. */
  detach(child: Resource, parent: Resource): Promise<boolean>;

  /**
   * Moves a resource, with everything below it, from one parent to another; its other parents stay.
   *
   * `missing`: it is not under `from`; `cycle` and `too_deep` as for {@link attach}.
   */
  move(
    child: Resource,
    ends: { readonly from: Resource; readonly to: Resource },
    maxDepth?: number,
  ): Promise<MoveOutcome>;

  /**
   * Removes a resource and everything that has no other way up, together with the roles assigned there, and returns what
   * was removed, the resource first. What is also below something that stays is not removed.
   */
  removeSubtree(resource: Resource): Promise<readonly Resource[]>;

  /** Lists everything above a resource, the nearest first. */
  ancestors(resource: Resource): Promise<readonly RelatedResource[]>;

  /** Lists everything below a resource, the nearest first. */
  descendants(resource: Resource): Promise<readonly RelatedResource[]>;

  /** Says whether one resource is above another; no resource is above itself. */
  hasPath(ancestor: Resource, descendant: Resource): Promise<boolean>;
}
