import type { ActionTools } from '@x/entity';
import { CodedError, unauthenticated } from '@x/errors';
import type { Resource, TransactionStores, UserId, UserRecord } from '@x/store';
import { and, eq, gt } from '@x/store/where';
import { z } from 'zod';
import type { PageQuery } from '../cursor.ts';
import { recordInvitation } from '../history.ts';
import { countUse, findLink, hasUsesLeft, type StoredLink } from '../links/links.ts';
import { lockOrganization, lockUserAs } from '../role/locks.ts';
import { readNames } from '../names.ts';
import type { Settings } from '../settings.ts';
import { hashToken, type TokenInput } from '../token.ts';
import { lockAddress } from './invite.ts';
import type { InvitationChoice } from './pending.ts';
import { isValid, noSuchInvitation, type Offer, redeem } from './redeem.ts';
import { findInvitation, pageInvitations, removeInvitation, type StoredInvitation } from './stored-invitation.ts';

/** An invitation that waits for the caller. */
interface OwnInvitation {
  readonly id: string;
  readonly organization: { readonly id: string; readonly name: string };
  /** The resource of the role: the organization, or something below it. */
  readonly resource: { readonly type: string; readonly id: string };
  readonly role: string;
  /** The address of the user who invites; null for the app itself. */
  readonly invitedBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Some of what waits for the caller's proven address, the latest first. */
export interface OwnInvitations {
  readonly items: readonly OwnInvitation[];
  /** The `after` of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** The schema of {@link OwnInvitations}. */
export const ownInvitations: z.ZodType<OwnInvitations, OwnInvitations> = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: z.uuid(),
        organization: z.strictObject({ id: z.uuid(), name: z.string() }),
        resource: z.strictObject({ type: z.string(), id: z.string() }),
        role: z.string(),
        invitedBy: z.string().nullable(),
        createdAt: z.date(),
        expiresAt: z.date(),
      }),
    )
    .readonly(),
  nextCursor: z.string().nullable(),
});

/**
 * Lists the invitations that wait for the caller. Without a proven address, none do.
 *
 * @throws CodedError `INVALID_QUERY` for an `after` that no page had
 */
export async function listOwn({ stores, caller, now }: ActionTools, query: PageQuery): Promise<OwnInvitations> {
  const address = await findAddress(stores, caller.userId);
  if (address === null) return { items: [], nextCursor: null };
  const isWaiting = and(eq('email', address), gt('expiresAt', now.getTime()));
  const { items: waiting, nextCursor } = await pageInvitations(stores, isWaiting, query);
  const names = await readNames(
    stores,
    waiting.map(({ organizationId }) => organizationId),
  );
  const senders = waiting.flatMap(({ grantedBy }) => (grantedBy === null ? [] : [grantedBy as UserId]));
  const users = new Map((await stores.users.findMany(senders)).map((user) => [user.id as string, user.email]));
  return {
    nextCursor,
    items: waiting.map(({ id, organizationId, resource, role, grantedBy, createdAt, expiresAt }) => ({
      id,
      resource,
      role,
      createdAt,
      expiresAt,
      organization: { id: organizationId, name: names.get(organizationId) ?? '' },
      invitedBy: users.get(grantedBy ?? '') ?? null,
    })),
  };
}

/**
 * Accepts an invitation that waits for the caller.
 *
 * @throws CodedError `NOT_FOUND` if there is none, or if its sender may not send it any more; `FORBIDDEN` if it is for
 * another address; `EMAIL_NOT_VERIFIED` if the caller has not proven the address
 */
export async function acceptOwn(settings: Settings, tools: ActionTools, choice: InvitationChoice): Promise<void> {
  await tools.transaction(async (inside) => {
    const { userId, invitation } = await takeOwn(settings, inside, choice);
    if (!(await redeem(settings, inside, invitation, userId))) throw noSuchInvitation();
  });
}

/**
 * Declines an invitation that waits for the caller.
 *
 * @throws CodedError `NOT_FOUND`, `FORBIDDEN`, `EMAIL_NOT_VERIFIED` as for {@link acceptOwn}
 */
export async function declineOwn(settings: Settings, tools: ActionTools, choice: InvitationChoice): Promise<void> {
  await tools.transaction(async (inside) => {
    const { userId, invitation } = await takeOwn(settings, inside, choice);
    const { organizationId, role, email } = invitation;
    const detail = { email, role, by: userId };
    await recordInvitation(inside.stores, { type: 'invitation.declined', organizationId, userId, detail });
  });
}

/** Removes an invitation that waits for the caller, and returns it, with its organization locked. */
async function takeOwn(
  settings: Settings,
  inside: ActionTools,
  { invitationId }: InvitationChoice,
): Promise<{ readonly userId: UserId; readonly invitation: StoredInvitation }> {
  const { stores, caller } = inside;
  const seen = await findInvitation(stores, eq('id', invitationId));
  if (!seen) throw noSuchInvitation();
  const user = await stores.users.findById(caller.userId as UserId);
  // Who proves an address locks their own row first, and the address then.
  if (user?.emailProvenAt === null) throw user.loginEmail === seen.email ? notProven() : notInvited();
  await lockAddress(stores, seen.email);
  const { id: userId, loginEmail, emailProvenAt } = await lockSelf(inside);
  if (loginEmail !== seen.email) throw notInvited();
  if (emailProvenAt === null) throw notProven();
  const invitation = await findInvitation(stores, eq('id', invitationId));
  if (!invitation) throw noSuchInvitation();
  await lockOrganization(stores, { type: settings.type, id: invitation.organizationId });
  if (!(await removeInvitation(stores, invitation.id))) throw noSuchInvitation();
  return { userId, invitation };
}

/** The offer behind a token, as its holder may see it before they sign in. */
export interface Preview {
  readonly organization: { readonly name: string };
  readonly role: string;
  /** The address of the user who invites; null for the app itself. */
  readonly invitedBy: string | null;
}

/** The schema of {@link Preview}. */
export const preview: z.ZodType<Preview, Preview> = z.strictObject({
  organization: z.strictObject({ name: z.string() }),
  role: z.string(),
  invitedBy: z.string().nullable(),
});

/**
 * Shows what the token of a mail or a link leads to.
 *
 * @throws CodedError `NOT_FOUND` for an unknown token, and for one that gives nothing any more
 */
export async function previewToken(settings: Settings, tools: ActionTools, { token }: TokenInput): Promise<Preview> {
  const { stores } = tools;
  const { offer } = await findOffer(settings, stores, await hashToken(token));
  if (!(await isValid(settings, tools, offer))) throw noSuchInvitation();
  const names = await readNames(stores, [offer.organizationId]);
  const inviter = offer.grantedBy === null ? null : await stores.users.findById(offer.grantedBy as UserId);
  return {
    organization: { name: names.get(offer.organizationId) ?? '' },
    role: offer.role,
    invitedBy: inviter?.email ?? null,
  };
}

/**
 * Lets the caller join by the token of a mail, which works once and for the invited address alone, or by that of a
 * link, which anybody may use.
 *
 * @throws CodedError `NOT_FOUND` for an unknown token, and for one that gives nothing any more; `FORBIDDEN` if the mail
 * was for another address
 */
export async function join(
  settings: Settings,
  tools: ActionTools,
  { token }: TokenInput,
): Promise<{ readonly organizationId: string }> {
  const tokenHash = await hashToken(token);
  return tools.transaction(async (inside) => {
    const { stores, now } = inside;
    const { id: userId, email, loginEmail } = await lockSelf(inside);
    const seen = await findOffer(settings, stores, tokenHash);
    const { organizationId } = seen.offer;
    const organization = { type: settings.type, id: organizationId };
    const members = await lockOrganization(stores, organization);
    // Another user may have used it, or a member revoked it, before the organization was locked.
    const { offer, invitation, link } = await findOffer(settings, stores, tokenHash);
    const isMember = members.some((member) => member.userId === userId);
    if (link && isMember && (await isValid(settings, inside, offer))) return { organizationId };
    // Whoever has the token has received the mail, so that the address needs no other proof.
    if (invitation && ![email, loginEmail].includes(invitation.email)) throw notInvited();
    if (invitation && !(await removeInvitation(stores, invitation.id))) throw noSuchInvitation();
    if (!(await redeem(settings, inside, offer, userId))) throw noSuchInvitation();
    if (link) await countUse(stores, link, now);
    return { organizationId };
  });
}

/** The target of a token: an invitation or a link. */
interface FoundOffer {
  readonly offer: Offer;
  readonly invitation?: StoredInvitation;
  readonly link?: StoredLink;
}

async function findOffer(settings: Settings, stores: TransactionStores, tokenHash: string): Promise<FoundOffer> {
  const invitation = await findInvitation(stores, eq('tokenHash', tokenHash));
  if (invitation) return { offer: invitation, invitation };
  const link = await findLink(stores, tokenHash);
  if (!link || !hasUsesLeft(link)) throw noSuchInvitation();
  const resource: Resource = { type: settings.type, id: link.organizationId };
  return { offer: { ...link, resource, entitlement: settings.entitlements.invite }, link };
}

/** Locks the caller's account: a role is not given to one that is deleted or reclaimed meanwhile. */
async function lockSelf(inside: ActionTools): Promise<UserRecord> {
  const user = await lockUserAs(inside, inside.caller.userId as UserId);
  if (!user) throw unauthenticated();
  return user;
}

/** To verify an address by the token alone does not prove it. */
function notProven(): CodedError {
  const message = 'Prove the address first: verify it while signed in, reset the password, or join by the mail.';
  return new CodedError('EMAIL_NOT_VERIFIED', message);
}

/** It does not name the address, which the caller may not know. */
function notInvited(): CodedError {
  return new CodedError('FORBIDDEN', 'This invitation is for another address.');
}

/** Finds the address that a user has proven and signs in with. */
async function findAddress({ users }: TransactionStores, userId: string | null): Promise<string | null> {
  const user = userId === null ? null : await users.findById(userId as UserId);
  return user && user.emailProvenAt !== null ? user.loginEmail : null;
}
