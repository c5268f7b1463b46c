import type { ActionTools } from '@x/entity';
import { CodedError } from '@x/errors';
import type { UserId } from '@x/store';
import { replaceRole } from '../access/replace-role.ts';
import { organizationOf } from '../access/resource.ts';
import { assertRoleChange } from './assert-role-change.ts';
import { leaveTenant } from './leave-tenant.ts';
import { lockOrganizationAs } from './lock-organization.ts';

/** Whom a caller gives which role in an organization; null takes them out of it. */
export interface RoleWish {
  readonly userId: string;
  readonly role: string | null;
}

/**
 * Gives a user a role in an organization in the place of theirs, or takes them out of it.
 *
 * @throws CodedError `NOT_FOUND` for nobody's id; `FORBIDDEN` where it takes an owner; `CONFLICT` where they are the last
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
