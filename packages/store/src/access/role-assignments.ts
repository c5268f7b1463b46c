import type { Cause } from '../events.ts';
import type { Page, PageRequest } from '../paging.ts';
import type { UserId } from '../values.ts';
import type { Resource } from './hierarchy.ts';
import type { InheritanceRule, RequiredRoles, RoleKind } from './inheritance.ts';

/** A role that was assigned on one resource, and so is not inherited. */
interface AssignedRole {
  readonly resource: Resource;
  readonly role: string;
}

/** A role that was assigned to a user. */
export interface UserRole extends AssignedRole {
  readonly userId: UserId;
  readonly groupId?: undefined;
}

/** A role that was assigned to a group: all its users have the role. */
export interface GroupRole extends AssignedRole {
  readonly groupId: string;
  readonly userId?: undefined;
}

/** A role that was assigned to a user or a group. */
export type RoleAssignment = UserRole | GroupRole;

/** Who assigned a role, and when. */
interface Granting {
  /** Null for the app itself. */
  readonly grantedBy: UserId | null;
  readonly grantedAt: Date;
}

/** An assigned role with its grantor. */
export type Grant = RoleAssignment & Granting;

/** An assigned role of a user with its grantor. */
export type UserGrant = UserRole & Granting;

/** Selects roles on a resource and on everything below it: those of one user, or those that one user granted others. */
export type GrantsWithin = { readonly limit: number } & (
  | { readonly userId: UserId; readonly grantedBy?: undefined }
  | { readonly grantedBy: UserId; readonly userId?: undefined }
);

/** Selects a page of the roles below a resource. */
interface GrantsBelow extends Pick<GrantedPage, 'limit' | 'caller'> {
  /** The last role of the page before; null for the first page. */
  readonly after: UserRole | null;
}

/** Selects resources of one type: those on which a user has one of the roles, by inheritance and by groups, too. */
export interface GrantedResources {
  readonly userId: UserId;
  readonly type: string;
  readonly roles: readonly string[];
  /** The role map of each edge between two types; roles that it does not list are not inherited. */
  readonly inheritance: readonly InheritanceRule[];
  /** The resources whose assigned roles count; all by default. */
  readonly from?: readonly Resource[];
}

/** Selects some of the roles that a user was assigned. */
export interface RolesOfType {
  readonly type: string;
  /** Default: any. */
  readonly role?: string;
  /** Only on resources whose ids follow this one, by code points. */
  readonly after?: string;
  readonly limit: number;
}

/** Selects roles of all users and groups but one user. */
export interface RolesOfOthers {
  readonly resources: readonly Resource[];
  /** Whether those on everything below the resources are among them. */
  readonly isBelow: boolean;
  readonly limit: number;
}

/** Selects users: those who have one of the roles on one resource, by inheritance and by groups, too. */
export interface GrantedUsers extends Pick<GrantedResources, 'roles' | 'inheritance'> {
  readonly resource: Resource;
}

/** Selects a page of the granted resources or of their users. */
export interface GrantedPage extends PageRequest {
  /**
   * The user on whose behalf it is read. A fair queue serves the queries of users in rotation. Default: the app itself.
   */
  readonly caller?: string | null;
}

/** A user, and the roles that they and their groups were assigned on a resource and above it. */
export interface UserPath {
  readonly userId: UserId;
  readonly granted: GrantedRoles;
}

/** A role that a user has by a group that they are in. */
export interface RoleByGroup {
  readonly groupId: string;
  readonly role: string;
}

/** A resource with the roles that a user was assigned on it, and everything above it. */
export interface GrantedRoles {
  readonly resource: Resource;
  /** The roles that were assigned to the user. */
  readonly roles: readonly string[];
  /** The roles that were assigned to groups that the user is in. */
  readonly rolesByGroup: readonly RoleByGroup[];
  /** Its direct parents. A resource that is reached by several paths is a single object. */
  readonly parents: readonly GrantedRoles[];
}

/**
 * Which roles users and groups were assigned on which resources. Types, ids and roles are arbitrary texts: the access
 * definition gives them meaning, and they need not exist elsewhere. Lists are in no particular order.
 */
export interface RoleAssignmentStore {
  /**
   * Assigns a role, granted by the user that the cause names, and says whether its holder was not already assigned it;
   * if they were, who granted it stays. Logs `role.assigned`.
   */
  assign(assignment: RoleAssignment, cause?: Cause): Promise<boolean>;

  /** Revokes an assigned role, and says whether there was one. Logs `role.revoked`. */
  revoke(assignment: RoleAssignment, cause?: Cause): Promise<boolean>;

  /** Lists all roles that were assigned to a user, without those of their groups. */
  listByUser(userId: UserId): Promise<readonly UserRole[]>;

  /**
   * Lists the roles that a user was assigned on resources of one type, without those of their groups, by the code
   * points of the ids of the resources.
   */
  listOfType(userId: UserId, roles: RolesOfType): Promise<readonly UserRole[]>;

  /** Lists roles on a resource and on everything below it, `limit` of them at most. */
  listWithin(top: Resource, grants: GrantsWithin): Promise<readonly Grant[]>;

  /**
   * Lists roles of users on everything below a resource, by the code points of user, type, id and role: those that
   * follow `after`, `limit` of them at most.
   */
  listBelow(top: Resource, page: GrantsBelow): Promise<readonly UserGrant[]>;

  /** Lists all roles that were assigned to a group. */
  listByGroup(groupId: string): Promise<readonly GroupRole[]>;

  /** Lists the resources on which a user or one of their groups was assigned a role of one of the kinds, each once. */
  listAssigned(userId: UserId, kinds: readonly RoleKind[]): Promise<readonly Resource[]>;

  /** Lists all roles that were assigned on a resource. */
  listByResource(resource: Resource): Promise<readonly RoleAssignment[]>;

  /** Lists roles that a user granted to others, groups among them: `limit` of them at most. */
  listGrantedBy(grantor: UserId, limit: number): Promise<readonly RoleAssignment[]>;

  /** Lists roles of all users but one, and of groups. */
  listOthers(userId: UserId, roles: RolesOfOthers): Promise<readonly RoleAssignment[]>;

  /**
   * Reads the roles of a user and of their groups along every path up from each of the resources, in one query and as
   * of one moment, in the order of the resources. It returns which roles were assigned where; applying the inheritance
   * is up to the caller.
   */
  readPaths(userId: UserId, resources: readonly Resource[]): Promise<readonly GrantedRoles[]>;

  /**
   * Says synchronously whether a user has a sufficient role on a resource, by inheritance and by groups, too, reading
   * no further up than necessary. Only stores that keep everything in this process's memory have it.
   */
  hasRoleNow?(userId: UserId, resource: Resource, required: RequiredRoles): boolean;

  /**
   * Lists the ids of the selected resources, by code points, in one query. A resource that stays granted during a walk
   * over all pages is on exactly one of them. A page may have fewer than its limit, or none, although there is another:
   * the store may look only at so many resources at once. One without edges and roles is not known, so it is not found.
   *
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if it takes longer than two seconds
   */
  listGranted(resources: GrantedResources, page: GrantedPage): Promise<Page<string>>;

  /**
   * Lists the selected users, by the code points of their ids, each with the result of `readPaths` for the resource, in
   * one query and as of one moment. A user who stays granted during a walk over all pages is on exactly one of them.
   *
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if it takes longer than two seconds
   */
  listGrantees(users: GrantedUsers, page: GrantedPage): Promise<Page<UserPath>>;

  /** Finds those of the kinds that a user or one of their groups was assigned on any resource at all. */
  findKinds(userId: UserId, kinds: readonly RoleKind[]): Promise<readonly RoleKind[]>;
}
