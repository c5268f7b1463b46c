import type { ActionTools } from '@x/entity';
import { CodedError } from '@x/errors';
import type { UserId } from '@x/store';
import { z } from 'zod';
import { definition } from '../access/definition.ts';
import { replaceRole } from '../access/replace-role.ts';
import { projectOf } from '../access/resource.ts';
import { invite } from '../invitations/invite.ts';
import { lockOrganizationAs } from '../organizations/lock-organization.ts';
import { emailAddress } from '../variables/email-address.ts';

/** The role that a caller gives on a project, to a user or to whoever has an address. */
export type Share = { readonly role: string } & ({ readonly userId: string } | { readonly email: string });

const role = z.enum(definition.entities.project.roles);

export const share: z.ZodType<Share, Share> = z.union([
  z.strictObject({ userId: z.string(), role }),
  z.strictObject({ email: emailAddress, role }),
]);

/** A project, and the organization it belongs to. */
export interface SharedProject {
  readonly id: string;
  readonly organizationId: string;
}

const entitlement = 'project:update';

/**
 * Gives a user a role on a project, replacing theirs there, or invites an address to it.
 *
 * @throws CodedError `NOT_FOUND` for an unknown id; the errors of `invite`
 */
export async function shareProject(tools: ActionTools, project: SharedProject, wish: Share): Promise<void> {
  const { id, organizationId } = project;
  const permission = { entitlement, resource: projectOf(id) };
  if ('email' in wish) return invite(tools, { organizationId, ...permission, ...wish });
  await tools.transaction(async (inside) => {
    const { stores, caller } = inside;
    const user = await stores.users.hold(wish.userId as UserId);
    await lockOrganizationAs(inside, organizationId, permission);
    if (!user) throw new CodedError('NOT_FOUND', 'There is no such user.');
    const grant = { userId: user.id, resource: permission.resource, role: wish.role };
    await replaceRole(stores, grant, { by: caller.userId, tenantId: organizationId });
  });
}
