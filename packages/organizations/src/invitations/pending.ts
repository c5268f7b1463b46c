import type { ActionTools } from '@x/entity';
import { CodedError } from '@x/errors';
import type { Resource } from '@x/store';
import { all, and, eq } from '@x/store/where';
import { z } from 'zod';
import { lockOrganizationAs, lockSignedIn } from '../role/locks.ts';
import type { Sendable } from '../send-invitation.ts';
import type { Settings } from '../settings.ts';
import { recordInvitation } from '../history.ts';
import { admitInvitation } from './invite.ts';
import { isValid, noSuchInvitation } from './redeem.ts';
import {
  findInvitation,
  invitationTable,
  pageInvitations,
  removeInvitation,
  type StoredInvitation,
} from './stored-invitation.ts';
import { createToken } from '../token.ts';
import type { PageQuery } from '../cursor.ts';

/** Some of the invitations of an organization that wait to be accepted, the latest first. */
export interface Invitations {
  readonly items: readonly Invitation[];
  /** The `after` of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** An invitation, as those may see it who may invite. */
interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly state: 'pending' | 'expired';
  /** The id of the user who sent it; null for the app itself. */
  readonly invitedBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const invitation: z.ZodType<Invitation, Invitation> = z.strictObject({
  id: z.uuid(),
  email: z.string(),
  role: z.string(),
  state: z.enum(['pending', 'expired']),
  invitedBy: z.string().nullable(),
  createdAt: z.date(),
  expiresAt: z.date(),
});

/** The schema of {@link Invitations}. */
export const invitations: z.ZodType<Invitations, Invitations> = z.strictObject({
  items: z.array(invitation).readonly(),
  nextCursor: z.string().nullable(),
});

/**
 * Lists the invitations of an organization.
 *
 * @throws CodedError `INVALID_QUERY` for an `after` that no page had
 */
export async function listPending(
  { stores, now }: Pick<ActionTools, 'stores' | 'now'>,
  { id }: Resource,
  query: PageQuery,
): Promise<Invitations> {
  const { items, nextCursor } = await pageInvitations(stores, eq('organizationId', id), query);
  return {
    nextCursor,
    items: items.map(({ id: invitationId, email, role, grantedBy, createdAt, expiresAt }) => ({
      id: invitationId,
      email,
      role,
      createdAt,
      expiresAt,
      state: expiresAt > now ? 'pending' : 'expired',
      invitedBy: grantedBy,
    })),
  };
}

/** The choice of one of an organization's invitations. */
export interface InvitationChoice {
  readonly invitationId: string;
}

/** The schema of {@link InvitationChoice}. */
export const invitationChoice: z.ZodType<InvitationChoice, InvitationChoice> = z.strictObject({
  invitationId: z.uuid().toLowerCase(),
});

/**
 * Lets an invitation wait anew from now on, and returns it for its mail to be sent again, with a new token. It holds
 * from now on because of the caller, whom its mail names, and no longer because of an earlier sender.
 *
 * @throws CodedError `NOT_FOUND` if there is none, or if the caller may not give what it is for; `RATE_LIMITED` if the
 * organization has sent too many
 */
export async function renewInvitation(
  settings: Settings,
  tools: ActionTools,
  organization: Resource,
  choice: InvitationChoice,
): Promise<Sendable> {
  await admitInvitation(tools, organization.id);
  const created = await createToken();
  return tools.transaction(async (inside) => {
    const { stores, now } = inside;
    const found = await lockInvitation(settings, inside, organization, choice);
    const expiresAt = new Date(now.getTime() + settings.ttlMs);
    const grantedBy = inside.caller.userId;
    if (!(await isValid(settings, inside, { ...found, grantedBy, expiresAt }))) throw noSuchInvitation();
    const values = { tokenHash: created.tokenHash, grantedBy, expiresAt, updatedAt: now };
    await stores.entities.update(invitationTable, found.id, { values, where: all });
    const { organizationId, resource, email, role } = found;
    return { organizationId, resource, email, role, grantedBy, token: created.token, expiresAt };
  });
}

/**
 * Takes an invitation back.
 *
 * @throws CodedError `NOT_FOUND`
 */
export async function revokeInvitation(
  settings: Settings,
  tools: ActionTools,
  organization: Resource,
  choice: InvitationChoice,
): Promise<void> {
  await tools.transaction(async (inside) => {
    const { id, email, role } = await lockInvitation(settings, inside, organization, choice);
    await removeInvitation(inside.stores, id);
    const detail = { email, role, by: inside.caller.userId };
    const event = { type: 'invitation.revoked', organizationId: organization.id, userId: null, detail } as const;
    await recordInvitation(inside.stores, event);
  });
}

/** Finds an invitation, and locks it: no request accepts or revokes it until the transaction ends. */
async function lockInvitation(
  settings: Settings,
  inside: ActionTools,
  organization: Resource,
  { invitationId }: InvitationChoice,
): Promise<StoredInvitation> {
  await lockSignedIn(inside);
  const permission = { entitlement: settings.entitlements.invite, resource: organization };
  await lockOrganizationAs(inside, organization, permission);
  const where = and(eq('id', invitationId), eq('organizationId', organization.id));
  const found = await findInvitation(inside.stores, where);
  if (!found) throw new CodedError('NOT_FOUND', 'There is no such invitation.');
  return found;
}
