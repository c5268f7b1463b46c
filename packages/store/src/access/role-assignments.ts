import type { UserId } from '../values.ts';
import type { Resource } from './hierarchy.ts';
import type { InheritanceRule, RequiredRoles, RoleKind } from './inheritance.ts';

/** A role that was assigned to a user on one resource, and so is not inherited. */
export interface RoleAssignment {
  readonly userId: UserId;
  readonly resource: Resource;
  readonly role: string;
}

/** A role to assign. */
export interface NewRoleAssignment extends RoleAssignment {
  /** The user who assigns it. Default null: the app itself. */
  readonly grantedBy?: UserId | null;
}

/** Selects resources of one type: those on which a user has one of the roles, directly or by inheritance. */
export interface GrantedResources {
  readonly userId: UserId;
  readonly type: string;
  readonly roles: readonly string[];
  /** The role map of each edge between two types; roles that it does not list are not inherited. */
  readonly inheritance: readonly InheritanceRule[];
  /** The resources whose assigned roles count; all by default. */
  readonly from?: readonly Resource[];
}

/** A resource with the roles that a user was assigned on it, and everything above it. */
export interface GrantedRoles {
  readonly resource: Resource;
  readonly roles: readonly string[];
  /** Its direct parents. A resource that is reached by several paths is a single object. */
  readonly parents: readonly GrantedRoles[];
}

/**
 * Which roles users were assigned on which resources. Types, ids and roles are arbitrary texts: the access definition gives them
 * meaning, and they need not exist elsewhere. Lists are in no particular order.
 */
export interface RoleAssignmentStore {
  /** Assigns a role, and says whether the user was not already assigned it; if they were, who granted it stays. */
  assign(assignment: NewRoleAssignment): Promise<boolean>;

  /** Revokes an assigned role, and says whether there was one. */
  revoke(assignment: RoleAssignment): Promise<boolean>;

  /** Lists all roles that were assigned to a user. */
  listByUser(userId: UserId): Promise<readonly RoleAssignment[]>;

  /** Lists all roles that were assigned on a resource. */
  listByResource(resource: Resource): Promise<readonly RoleAssignment[]>;

  /** Lists all roles that a user granted to others. */
  listGrantedBy(grantor: UserId): Promise<readonly RoleAssignment[]>;

  /** Revokes all roles that a user granted to others, and returns them. */
  revokeGrantedBy(grantor: UserId): Promise<readonly RoleAssignment[]>;

  /** Lists the roles of everybody but one user on some resources and on everything below them. */
  listOthers(userId: UserId, resources: readonly Resource[]): Promise<readonly RoleAssignment[]>;

  /** Revokes the roles of everybody but one user on some resources and on everything below them, and returns them. */
  revokeOthers(userId: UserId, resources: readonly Resource[]): Promise<readonly RoleAssignment[]>;

  /**
   * Reads the roles of a user along every path up from each of the resources, in one query and as of one moment, in the
   * order of the resources. It returns which roles were assigned where; applying the inheritance is up to the caller.
   */
  readPaths(userId: UserId, resources: readonly Resource[]): Promise<readonly GrantedRoles[]>;

  /**
   * Says synchronously whether a user has a sufficient role on a resource, directly or by inheritance, reading no
   * further up than necessary. Only stores that keep everything in this process's memory have it.
   */
  hasRoleNow?(userId: UserId, resource: Resource, required: RequiredRoles): boolean;

  /** Finds those of the kinds that a user was assigned on any resource at all. */
  findKinds(userId: UserId, kinds: readonly RoleKind[]): Promise<readonly RoleKind[]>;
}
