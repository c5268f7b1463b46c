import type { UserId } from './id.ts';
import type { Resource } from './resource.ts';
import type { RoleGoal } from './role-goal.ts';
import type { RoleHop, RoleKind } from './role-hop.ts';

/** A role that a user holds directly on one resource. */
export interface RoleAssignment {
  readonly userId: UserId;
  readonly resource: Resource;
  readonly role: string;
}

/** Which resources of one type are asked for: those on which a user holds one of the roles, directly or by inheritance. */
export interface HeldResources {
  readonly userId: UserId;
  readonly type: string;
  readonly roles: readonly string[];
  /** The role map of each edge between two types; what it does not list is not inherited. */
  readonly hops: readonly RoleHop[];
  /** Where the roles have to be held directly to count; anywhere by default. */
  readonly from?: readonly Resource[];
}

/** A resource with the roles that a user holds directly on it, and all that is above it. */
export interface HeldRoles {
  readonly resource: Resource;
  readonly roles: readonly string[];
  /** Its direct parents. One that is reached by several paths is one object. */
  readonly parents: readonly HeldRoles[];
}

/**
 * Who holds which role on which resource. Types, ids and roles are any texts: what they mean is up to the access
 * definition. Nothing here has to exist elsewhere. Lists are in no particular order.
 */
export interface RoleAssignmentStore {
  /** Gives a role, and says whether the user did not hold it directly before. */
  assign(assignment: RoleAssignment): Promise<boolean>;

  /** Takes a role away, and says whether the user held it directly. */
  revoke(assignment: RoleAssignment): Promise<boolean>;

  /** Lists all that a user holds directly. */
  listByUser(userId: UserId): Promise<readonly RoleAssignment[]>;

  /** Lists all that is held directly on a resource. */
  listByResource(resource: Resource): Promise<readonly RoleAssignment[]>;

  /**
   * Reads the roles of a user along every path up from each of the resources, in one query and as of one moment; in the
   * order of the resources. It tells what is held where: what a role becomes on its way down is the caller's to decide.
   */
  readPaths(userId: UserId, resources: readonly Resource[]): Promise<readonly HeldRoles[]>;

  /**
   * Says at once whether a user holds what is enough on a resource, directly or by inheritance, and looks no further up
   * than it takes. Only stores have it that keep all of it in the memory of this process.
   */
  holdsNow?(userId: UserId, resource: Resource, goal: RoleGoal): boolean;

  /** Finds those of the kinds that a user holds directly on any resource at all. */
  findKinds(userId: UserId, kinds: readonly RoleKind[]): Promise<readonly RoleKind[]>;

  /** Lists the ids of the resources that are asked for, each once. */
  listHeld(question: HeldResources): Promise<readonly string[]>;
}
