import { type Resource, toUserId, type TransactionStores, type UserRecord, type UserRole } from '@x/store';
import { z } from 'zod';
import { parseCursor, toCursor } from '../cursor.ts';
import { findUsers, type NameOf, type Person, personFields, toPerson } from './people.ts';

/** A role of a user on something below an organization; a user who has several is listed with each. */
interface Guest extends Person {
  readonly resource: Resource;
  readonly role: string;
  /** The id of the user who gave the role; null for the app itself. */
  readonly grantedBy: string | null;
  readonly grantedAt: Date;
}

/** Some of the roles below an organization. A page may have fewer than its limit, and others follow. */
export interface GuestPage {
  readonly items: readonly Guest[];
  /** The `after` of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** The schema of {@link GuestPage}. */
export const guestPage: z.ZodType<GuestPage, GuestPage> = z.strictObject({
  items: z
    .array(
      z.strictObject({
        ...personFields,
        resource: z.strictObject({ type: z.string(), id: z.string() }),
        role: z.string(),
        grantedBy: z.string().nullable(),
        grantedAt: z.date(),
      }),
    )
    .readonly(),
  nextCursor: z.string().nullable(),
});

/** Which guests a page has: those whom a search finds among as many roles as its limit. */
interface GuestQuery {
  readonly isFound: (user: UserRecord) => boolean;
  readonly nameOf: NameOf;
  readonly callerId: string | null;
  readonly limit: number;
  readonly after: string | undefined;
}

/**
 * Lists the roles of users on everything below an organization, by the ids of users and resources.
 *
 * @throws CodedError `INVALID_QUERY` for an `after` that no page had
 */
export async function listGuests(
  stores: TransactionStores,
  organization: Resource,
  { isFound, nameOf, callerId, limit, after }: GuestQuery,
): Promise<GuestPage> {
  const page = { after: after === undefined ? null : toPosition(after), limit, caller: callerId };
  const grants = await stores.roleAssignments.listBelow(organization, page);
  const users = await findUsers(stores, new Set(grants.map(({ userId }) => userId)));
  const items = grants.flatMap(({ userId, resource, role, grantedBy, grantedAt }): readonly Guest[] => {
    const user = users.get(userId);
    return user && isFound(user) ? [{ ...toPerson(user, nameOf), resource, role, grantedBy, grantedAt }] : [];
  });
  const last = grants.length === limit ? grants.at(-1) : undefined;
  return { items, nextCursor: last ? toCursor(toKeys(last)) : null };
}

function toKeys({ userId, resource, role }: UserRole): readonly string[] {
  return [userId, resource.type, resource.id, role];
}

function toPosition(cursor: string): UserRole {
  const [userId = '', type = '', id = '', role = ''] = parseCursor(cursor, 4);
  return { userId: toUserId(userId), resource: { type, id }, role };
}
