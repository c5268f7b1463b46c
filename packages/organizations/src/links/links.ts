import { type Duration, parseDuration } from '@x/auth';
import { type ActionTools, defineModel, field, type Model } from '@x/entity';
import { CodedError } from '@x/errors';
import type { EntityRow, Resource, TransactionStores } from '@x/store';
import { all, and, eq, type Where } from '@x/store/where';
import { z } from 'zod';
import { createToken } from '../token.ts';
import { lockOrganizationAs, lockSignedIn } from '../role/locks.ts';
import type { Settings } from '../settings.ts';

/** The table of links. */
export const linkTable = 'organization-links';

/** Links by which many can join. No route leads to them but the actions of organizations. */
export const linkModel: Model = defineModel(linkTable, {
  fields: {
    organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }),
    role: field.text(),
    tokenHash: field.text(),
    /** The user who created it. */
    grantedBy: field.text({ nullable: true }),
    maxUses: field.integer({ nullable: true }),
    uses: field.integer({ default: 0 }),
    expiresAt: field.timestamp({ nullable: true }),
  },
  indexes: [
    ['tokenHash', 'id'],
    ['grantedBy', 'id'],
    ['organizationId', 'createdAt', 'id'],
  ],
});

/** A link as stored. */
export interface StoredLink {
  readonly id: string;
  readonly organizationId: string;
  readonly role: string;
  readonly grantedBy: string | null;
  /** How many may join by it; null for any number. */
  readonly maxUses: number | null;
  readonly uses: number;
  readonly createdAt: Date;
  /** Null for never. */
  readonly expiresAt: Date | null;
}

/** A link, as those may see it who may invite. */
interface Link extends Omit<StoredLink, 'organizationId' | 'grantedBy'> {
  /** The id of the user who created it; null for the app itself. */
  readonly invitedBy: string | null;
}

/** The links of an organization, the oldest first; at most 100. */
export interface Links {
  readonly items: readonly Link[];
}

/** The schema of {@link Links}. */
export const links: z.ZodType<Links, Links> = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: z.uuid(),
        role: z.string(),
        invitedBy: z.string().nullable(),
        maxUses: z.int().nullable(),
        uses: z.int(),
        createdAt: z.date(),
        expiresAt: z.date().nullable(),
      }),
    )
    .readonly(),
});

/** Lists the links of an organization. */
export async function listLinks(stores: TransactionStores, { id }: Resource): Promise<Links> {
  const found = await findLinks(stores, eq('organizationId', id));
  return {
    items: found.map(({ organizationId: _, grantedBy, ...link }) => ({ ...link, invitedBy: grantedBy })),
  };
}

/** A link to be created. */
export interface LinkInput<Role extends string = string> {
  readonly role: Role;
  /** How many may join by it, 1 to 10 000. Default: any number. */
  readonly maxUses?: number | undefined;
  /** When it ends: seconds, or a duration such as `7d`; 1 second to a year. Default: never. */
  readonly expiresIn?: number | string | undefined;
}

/** Creates the schema of {@link LinkInput}. */
export function linkInput(roles: readonly string[]): z.ZodType<LinkInput, LinkInput> {
  return z.strictObject({
    role: z.enum(roles as [string, ...string[]]),
    maxUses: z.int().min(1).max(10_000).optional(),
    expiresIn: z.union([z.int(), z.string()]).refine(isWithinYear, 'must be 1 second to a year').optional(),
  });
}

function isWithinYear(expiresIn: number | string): boolean {
  const ms = toMilliseconds(expiresIn);
  return ms >= 1000 && ms <= 365 * 86_400_000;
}

function toMilliseconds(expiresIn: number | string): number {
  return (typeof expiresIn === 'number' ? expiresIn * 1000 : parseDuration(expiresIn as Duration)) ?? 0;
}

/** A link just created. */
export interface NewLink {
  readonly id: string;
  /** Is not shown again. */
  readonly token: string;
}

/** The schema of {@link NewLink}. */
export const newLink: z.ZodType<NewLink, NewLink> = z.strictObject({ id: z.uuid(), token: z.string() });

/** How many links an organization may have. */
const mostLinks = 100;

/**
 * Creates a link.
 *
 * @throws CodedError `CONFLICT` if the organization has 100 already
 */
export async function createLink(
  settings: Settings,
  tools: ActionTools,
  organization: Resource,
  { role, maxUses, expiresIn }: LinkInput,
): Promise<NewLink> {
  const { token, tokenHash } = await createToken();
  const id = crypto.randomUUID();
  await tools.transaction(async (inside) => {
    const { stores, caller, now } = inside;
    await lockForInviter(settings, inside, organization);
    const others = await findLinks(stores, eq('organizationId', organization.id));
    if (others.length >= mostLinks) throw new CodedError('CONFLICT', `There are ${mostLinks} links: revoke some.`);
    await stores.entities.create(linkTable, {
      id,
      organizationId: organization.id,
      role,
      tokenHash,
      grantedBy: caller.userId,
      uses: 0,
      maxUses: maxUses ?? null,
      expiresAt: expiresIn === undefined ? null : new Date(now.getTime() + toMilliseconds(expiresIn)),
      createdAt: now,
      updatedAt: now,
    });
  });
  return { id, token };
}

/**
 * Takes a link back.
 *
 * @throws CodedError `NOT_FOUND`
 */
export async function revokeLink(
  settings: Settings,
  tools: ActionTools,
  organization: Resource,
  { linkId }: { readonly linkId: string },
): Promise<void> {
  await tools.transaction(async (inside) => {
    await lockForInviter(settings, inside, organization);
    const [found] = await findLinks(inside.stores, and(eq('id', linkId), eq('organizationId', organization.id)));
    if (!found) throw new CodedError('NOT_FOUND', 'There is no such link.');
    await inside.stores.entities.delete(linkTable, found.id, { where: all });
  });
}

/** Finds the link with a token, by its hash. */
export async function findLink(stores: TransactionStores, tokenHash: string): Promise<StoredLink | null> {
  const [found = null] = await findLinks(stores, eq('tokenHash', tokenHash));
  return found;
}

/** Says whether more may join by a link. */
export function hasUsesLeft({ uses, maxUses }: StoredLink): boolean {
  return maxUses === null || uses < maxUses;
}

/** Counts a use of a link. Its organization is locked, so that no other request counts at the same time. */
export async function countUse({ entities }: TransactionStores, link: StoredLink, now: Date): Promise<void> {
  const values = { uses: link.uses + 1, updatedAt: now };
  await entities.update(linkTable, link.id, { values, where: all });
}

async function lockForInviter(settings: Settings, inside: ActionTools, organization: Resource): Promise<void> {
  await lockSignedIn(inside);
  await lockOrganizationAs(inside, organization, { entitlement: settings.entitlements.invite, resource: organization });
}

async function findLinks({ entities }: TransactionStores, where: Where): Promise<readonly StoredLink[]> {
  const order = (['createdAt', 'id'] as const).map((column) => ({ column, direction: 'asc' as const }));
  const { records } = await entities.list(linkTable, { where, order, after: null, limit: mostLinks });
  return records.map(({ row }) => toLink(row));
}

function toLink(row: EntityRow): StoredLink {
  const columns = row as unknown as StoredLink;
  const { id, organizationId, role, grantedBy, maxUses, uses, createdAt, expiresAt } = columns;
  return { id, organizationId, role, grantedBy, maxUses, uses, createdAt, expiresAt };
}
