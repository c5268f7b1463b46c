import type { Resource, TransactionStores, UserRecord } from '@x/store';
import { z } from 'zod';
import { flag, type PageQuery, pageFields, parseCursor, toCursor } from '../cursor.ts';
import { toUserIds } from '../role/locks.ts';
import { type GuestPage, guestPage, listGuests } from './guests.ts';
import { createSearch, findUsers, type NameOf, type Person, personFields, toPerson } from './people.ts';

/** A member of an organization, with a role there; who has several is listed with each. */
interface Member extends Person {
  readonly role: string;
}

/** All members of an organization: at most 1 000. */
interface Members {
  readonly members: readonly Member[];
}

/** Some of the members of an organization. */
interface MemberPage {
  readonly items: readonly Member[];
  /** The `after` of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** The members of an organization, sorted by address: all, or one page if a query asks for one; or its guests. */
export type MemberList = Members | MemberPage | GuestPage;

const member: z.ZodType<Member, Member> = z.strictObject({ ...personFields, role: z.string() });

/** The schema of {@link MemberList}. */
export const memberList: z.ZodType<MemberList, MemberList> = z.union([
  z.strictObject({ members: z.array(member).readonly() }),
  z.strictObject({ items: z.array(member).readonly(), nextCursor: z.string().nullable() }),
  guestPage,
]);

/** Which members are listed. Without any of these, all are. */
export interface MemberQuery extends PageQuery {
  /** The beginning of their addresses or names, in any case. */
  readonly search?: string | undefined;
  /** Whether people are listed who have a role on something below the organization, with each such role. */
  readonly guests?: boolean | undefined;
}

/** The schema of {@link MemberQuery}. */
export const memberQuery: z.ZodType<MemberQuery, MemberQuery> = z.strictObject({
  search: z.string().max(320).optional(),
  guests: flag.optional(),
  ...pageFields,
});

/** How many are listed without a query, and with one that names no limit. */
const [mostMembers, pageSize] = [1000, 50];

/**
 * Lists the members of an organization, or its guests.
 *
 * @throws CodedError `INVALID_QUERY` for an `after` that no page had
 */
export async function listMembers(
  stores: TransactionStores,
  organization: Resource,
  { search, limit, after, guests = false }: MemberQuery,
  { nameOf, callerId }: { readonly nameOf: NameOf; readonly callerId: string | null },
): Promise<MemberList> {
  const isFound = createSearch(nameOf, search);
  if (guests) return listGuests(stores, organization, { isFound, nameOf, callerId, limit: limit ?? pageSize, after });
  const isWhole = search === undefined && limit === undefined && after === undefined;
  const last = after === undefined ? null : toPosition(after);
  const all = await readMembers(stores, organization, { isFound, nameOf });
  if (isWhole) return { members: all.slice(0, mostMembers) };
  const found = all.filter((each) => last === null || compare(each, last) > 0);
  const items = found.slice(0, limit ?? pageSize);
  const end = items.at(-1);
  return {
    items,
    nextCursor: end !== undefined && found.length > items.length ? toCursor(keys.map((key) => end[key])) : null,
  };
}

async function readMembers(
  stores: TransactionStores,
  organization: Resource,
  { isFound, nameOf }: { readonly isFound: (user: UserRecord) => boolean; readonly nameOf: NameOf },
): Promise<readonly Member[]> {
  const assignments = await stores.roleAssignments.listByResource(organization);
  const users = await findUsers(stores, toUserIds(assignments));
  const found = assignments.flatMap(({ userId, role }): readonly Member[] => {
    const user = userId && users.get(userId);
    return user && isFound(user) ? [{ ...toPerson(user, nameOf), role }] : [];
  });
  return found.toSorted(compare);
}

const keys = ['email', 'userId', 'role'] as const;

function compare(a: Member, b: Member): number {
  const key = keys.find((each) => a[each] !== b[each]);
  return key === undefined ? 0 : a[key] < b[key] ? -1 : 1;
}

function toPosition(cursor: string): Member {
  const [email = '', userId = '', role = ''] = parseCursor(cursor, keys.length);
  return { email, userId, role };
}
