import type { Resource, RoleAssignment, RoleHolder, UserId } from '@x/store';

/** All roles that a user or a group was assigned on one resource; at least one. */
export interface DirectRoles {
  readonly holder: RoleHolder;
  readonly holderKey: string;
  readonly resource: Resource;
  readonly resourceKey: string;
  readonly roles: readonly string[];
  /** Who granted each of the roles. */
  readonly grantors: readonly (UserId | null)[];
}

/** Lists the roles of entries one by one. */
export function toAssignments(entries: Iterable<DirectRoles>): readonly RoleAssignment[] {
  return Array.from(entries).flatMap(({ holder, resource, roles }) =>
    roles.map((role) => ({ ...holder, resource, role })),
  );
}
