import type { ActionTools } from '@x/entity';
import { CodedError } from '@x/errors';
import type { UserId } from '@x/store';
import { replaceRole } from '../access/replace-role.ts';
import { organizationOf } from '../access/resource.ts';
import { assertRoleChange } from './assert-role-change.ts';
import { leaveTenant } from './leave-tenant.ts';
import { lockOrganizationAs } from './lock-organization.ts';

/** The role that a caller gives a user in an organization; null removes them. */
export interface RoleWish {
  readonly userId: string;
  readonly role: string | null;
}

/**
 * Gives a user a role in an organization, replacing theirs, or removes them from it.
 *
 * @throws CodedError `NOT_FOUND` for an unknown id; `FORBIDDEN` if only an owner may; `CONFLICT` if they are the last
 * owner
 */
export async function setRole(tools: ActionTools, organizationId: string, { userId, role }: RoleWish): Promise<void> {
  const organization = organizationOf(organizationId);
  await tools.transaction(async (inside) => {
    const { stores, caller } = inside;
    const user = await stores.users.hold(userId as UserId);
    const permission = { entitlement: 'organization:manage', resource: organization };
    const held = await lockOrganizationAs(inside, organizationId, permission);
    if (!user) throw new CodedError('NOT_FOUND', 'There is no such user.');
    assertRoleChange({ held, callerId: caller.userId, userId, role });
    const operator = { by: caller.userId, tenantId: organizationId };
    await replaceRole(stores, { userId: user.id, resource: organization, role }, operator);
    if (role === null) await leaveTenant(stores, user, organizationId);
  });
}
