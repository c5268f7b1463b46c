import type { Cause } from '../events.ts';
import { compareCodePoints } from '../values.ts';

/** Identifies something that roles are assigned on, such as one project. */
export interface Resource {
  /** The name of its type in the access definition. */
  readonly type: string;
  readonly id: string;
}

/** A resource, and one that is directly above it. */
export interface ResourceEdge {
  readonly child: Resource;
  readonly parent: Resource;
}

/** The default maximum depth of the hierarchy, in edges. */
export const maxHierarchyDepth = 32;

/** A resource above or below another one. */
export interface RelatedResource {
  readonly resource: Resource;
  /** The number of edges of the longest path between the two, 1 or more. */
  readonly depth: number;
}

/** Sorts relatives of a resource as stores list them. */
export function compareRelated(a: RelatedResource, b: RelatedResource): number {
  return (
    a.depth - b.depth ||
    compareCodePoints(a.resource.type, b.resource.type) ||
    compareCodePoints(a.resource.id, b.resource.id)
  );
}

/** The outcome of attaching a resource; only `attached` changes anything. */
export type AttachOutcome = 'attached' | 'present' | 'cycle' | 'too_deep';

/** From which parent to which a resource moves. */
export interface MoveEnds {
  readonly from: Resource;
  readonly to: Resource;
  /** As for attaching. */
  readonly maxDepth?: number;
}

/** The outcome of moving a resource; only `moved` changes anything. */
export type MoveOutcome = 'moved' | 'missing' | 'cycle' | 'too_deep';

/**
 * The hierarchy of resources: edges from parents to children, and the paths along them. A resource may have several
 * parents, but never becomes its own ancestor, even by concurrent changes. A resource without edges needs no entry.
 *
 * Changes of the hierarchy are serialized across all processes: if one is made in a transaction, others wait until it
 * ends. Only changes that concern different resources without descendants may run concurrently.
 */
export interface HierarchyStore {
  /**
   * Attaches a resource, with everything below it, to one more parent, and logs `resource.attached`.
   *
   * `present`: it is already attached; `cycle`: it is the parent itself or above it; `too_deep`: some path would become
   * longer than `maxDepth` edges, {@link maxHierarchyDepth} by default.
   */
  attach(edge: ResourceEdge & { readonly maxDepth?: number }, cause?: Cause): Promise<AttachOutcome>;

  /**
   * Detaches a resource, with everything below it, from one of its parents, and says whether it was attached. Logs
   * `resource.detached`.
   */
  detach(edge: ResourceEdge, cause?: Cause): Promise<boolean>;

  /**
   * Moves a resource, with everything below it, from one parent to another, and logs `resource.moved`; its other
   * parents stay.
   *
   * `missing`: it is not under `from`; `cycle` and `too_deep` as for {@link attach}.
   */
  move(resource: Resource, ends: MoveEnds, cause?: Cause): Promise<MoveOutcome>;

  /**
   * Removes a resource and its descendants, together with the roles assigned there, and returns the removed resources,
   * the given one first. A descendant that is also below a resource that stays is not removed. Logs `role.revoked` for
   * each of the roles, and `resource.removed` with all that was below the resource, up to 1000 of these in one event.
   */
  removeSubtree(resource: Resource, cause?: Cause): Promise<readonly Resource[]>;

  /** Lists everything above a resource, the nearest first, and those as near by type and id. */
  ancestors(resource: Resource): Promise<readonly RelatedResource[]>;

  /** Lists everything below a resource, in the same order. */
  descendants(resource: Resource): Promise<readonly RelatedResource[]>;

  /** Says whether one resource is above another; no resource is above itself. */
  hasPath(ancestor: Resource, descendant: Resource): Promise<boolean>;
}
