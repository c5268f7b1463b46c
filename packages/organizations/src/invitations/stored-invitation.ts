import { defineModel, field, type Model } from '@x/entity';
import type { EntityRow, Resource, TransactionStores, UserRecord } from '@x/store';
import { all, and, eq, isIn, lte, or, type Where } from '@x/store/where';
import { z } from 'zod';
import { notACursor, type PageQuery, parseCursor, toCursor } from '../cursor.ts';
import { linkTable } from '../links/links.ts';

/** The table of invitations. */
export const invitationTable = 'organization-invitations';

/** Invitations that wait. No route leads to them but the actions of organizations. */
export const invitationModel: Model = defineModel(invitationTable, {
  fields: {
    organizationId: field.uuid({ references: 'organizations', onDelete: 'cascade' }),
    /** The resource of the role: the organization, or something below it. */
    resourceType: field.text(),
    resourceId: field.text(),
    /** In canonical form. */
    email: field.text(),
    role: field.text(),
    /** The entitlement that the sender needs on the resource, also when it is accepted. */
    entitlement: field.text(),
    /** The user who invited the address; null for the app itself. */
    grantedBy: field.text({ nullable: true }),
    /** The hash of the token in its mail. */
    tokenHash: field.text(),
    expiresAt: field.timestamp(),
  },
  indexes: [
    ['tokenHash', 'id'],
    ['email', 'createdAt', 'id'],
    ['grantedBy', 'id'],
    ['organizationId', 'createdAt', 'id'],
  ],
});

/** A role that an address is invited to. */
export interface NewInvitation {
  readonly organizationId: string;
  /** The organization, or something below it. */
  readonly resource: Resource;
  /** In canonical form. */
  readonly email: string;
  readonly role: string;
  /** The entitlement that the sender needs on the resource, also when it is accepted. */
  readonly entitlement: string;
  readonly grantedBy: string | null;
  /** The hash of the token in its mail. */
  readonly tokenHash: string;
}

/** An invitation that waits. */
export interface StoredInvitation extends NewInvitation {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Stores an invitation, in place of those of the address in the organization that have expired or are to the same. */
export async function keepInvitation(
  stores: TransactionStores,
  { resource, ...invitation }: NewInvitation,
  { now, ttlMs }: { readonly now: Date; readonly ttlMs: number },
): Promise<void> {
  const { email, organizationId } = invitation;
  const isToResource = and(eq('resourceType', resource.type), eq('resourceId', resource.id));
  const isOver = or(isToResource, lte('expiresAt', now.getTime()));
  await stores.entities.deleteAll(
    invitationTable,
    and(eq('email', email), eq('organizationId', organizationId), isOver),
  );
  await stores.entities.create(invitationTable, {
    id: crypto.randomUUID(),
    ...invitation,
    resourceType: resource.type,
    resourceId: resource.id,
    expiresAt: new Date(now.getTime() + ttlMs),
    createdAt: now,
    updatedAt: now,
  });
}

/** Selects the invitations of a user's addresses. */
export function isToUser({ email, loginEmail }: UserRecord): Where {
  const addresses = [...new Set([email, loginEmail])].flatMap((each) => (each === null ? [] : [each]));
  return or(...addresses.map((address) => eq('email', address)));
}

/** Some invitations, the latest first. */
interface InvitationPage {
  readonly items: readonly StoredInvitation[];
  /** The `after` of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** How many invitations a page has, and are accepted in one transaction, because it must not take long. */
const pageSize = 100;

/**
 * Lists the invitations that a condition selects.
 *
 * @throws CodedError `INVALID_QUERY` for an `after` that no page had
 */
export async function pageInvitations(
  { entities }: TransactionStores,
  where: Where,
  { limit = pageSize, after }: PageQuery = {},
): Promise<InvitationPage> {
  const order = (['createdAt', 'id'] as const).map((column) => ({ column, direction: 'desc' as const }));
  const page = { where, order, after: after === undefined ? null : toPosition(after), limit };
  const { records, hasMore } = await entities.list(invitationTable, page);
  const items = records.map(({ row }) => toInvitation(row));
  const last = items.at(-1);
  return { items, nextCursor: hasMore && last ? toCursor([last.createdAt.toISOString(), last.id]) : null };
}

/** @throws CodedError `INVALID_QUERY` */
function toPosition(cursor: string): readonly [number, string] {
  const [moment, id] = position.safeParse(parseCursor(cursor, 2)).data ?? [];
  if (moment === undefined || id === undefined) throw notACursor();
  return [Date.parse(moment), id];
}

const position = z.tuple([z.iso.datetime(), z.uuid()]);

/** Finds the only invitation that a condition selects, if there is one. */
export async function findInvitation(stores: TransactionStores, where: Where): Promise<StoredInvitation | null> {
  return (await pageInvitations(stores, where, { limit: 1 })).items[0] ?? null;
}

/** Removes an invitation, and says whether it was still there. */
export async function removeInvitation({ entities }: TransactionStores, id: string): Promise<boolean> {
  return (await entities.delete(invitationTable, id, { where: all })) !== null;
}

/**
 * Removes invitations and links that a condition on what both have selects: as many as a transaction is good for.
 *
 * @returns whether there are more
 */
export async function removeInvitations({ entities }: TransactionStores, where: Where): Promise<boolean> {
  let isMore = false;
  for (const table of [invitationTable, linkTable]) {
    const order = [{ column: 'id', direction: 'asc' }] as const;
    const { records, hasMore } = await entities.list(table, { where, order, after: null, limit: removedAtOnce });
    const ids = records.map(({ row }) => row.id);
    await entities.deleteAll(table, isIn('id', ids));
    isMore ||= hasMore;
  }
  return isMore;
}

const removedAtOnce = 200;

interface InvitationRow extends Omit<StoredInvitation, 'resource'> {
  readonly resourceType: string;
  readonly resourceId: string;
}

function toInvitation(columns: EntityRow): StoredInvitation {
  const { resourceType, resourceId, ...row } = columns as unknown as InvitationRow;
  return { ...row, resource: { type: resourceType, id: resourceId } };
}
