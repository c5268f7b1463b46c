import { CodedError } from '@x/errors';
import {
  type EventRecord,
  isStorableText,
  type Page,
  type Stores,
  toUserId,
  type UserId,
  type UserRecord,
} from '@x/store';
import { canonicalizeEmail } from '../email/canonicalize-email.ts';
import type { EventDependencies } from '../events/events.ts';
import { type PageQuery, toPageRequest } from '../request/page-query.ts';
import { toUser, type User, type UserConfig } from '../user/user.ts';

/** What operators' steps work with. */
export interface AdminDependencies {
  readonly config: UserConfig;
  readonly stores: Stores;
  readonly events: EventDependencies;
}

/** A user as operators see one. */
export interface AdminUser extends User {
  /** Set while the user is disabled and may not sign in. */
  readonly disabledAt: Date | null;
  /** When the address was proven by a mail token or a trusted provider. */
  readonly emailProvenAt: Date | null;
}

/** Identifies a user: by id, or by any spelling of the address that they sign in with. */
export type UserQuery = { readonly id: string } | { readonly email: string };

/** @throws CodedError `NOT_FOUND` */
export async function findUser(deps: AdminDependencies, query: UserQuery): Promise<AdminUser> {
  const user = await find(deps, query);
  if (user === null) throw userNotFound();
  return toAdminUser(deps, user);
}

async function find({ stores }: AdminDependencies, query: UserQuery): Promise<UserRecord | null> {
  if ('id' in query) return stores.users.findById(parseUserId(query.id));
  // Apps may pass on unvalidated input.
  const email = typeof query.email === 'string' ? canonicalizeEmail(query.email) : null;
  return email === null ? null : stores.users.findByLoginEmail(email);
}

/** Selects a page of users. */
export type UserListQuery = PageQuery;

/** Lists all users, the newest first. */
export async function listUsers(deps: AdminDependencies, query: UserListQuery = {}): Promise<Page<AdminUser>> {
  const { items, nextCursor } = await deps.stores.users.list(toPageRequest(query));
  return { items: items.map((user) => toAdminUser(deps, user)), nextCursor };
}

/** Selects the events of a user or of a tenant. */
export type EventQuery = PageQuery & ({ readonly userId: string } | { readonly tenantId: string });

/**
 * Lists the events of a user or of a tenant, the newest first. Events outlive their user, so an unknown user has an
 * empty list rather than an error.
 */
export async function listEvents({ stores }: AdminDependencies, query: EventQuery): Promise<Page<EventRecord>> {
  const page = toPageRequest(query);
  const id: unknown = 'userId' in query ? query.userId : query.tenantId;
  if (typeof id !== 'string' || !isStorableText(id)) return { items: [], nextCursor: null };
  return 'userId' in query ? stores.events.listByUser(toUserId(id), page) : stores.events.listByTenant(id, page);
}

/** Converts a stored user to the operators' view. Fields that the app did not declare public stay hidden. */
export function toAdminUser({ config }: Pick<AdminDependencies, 'config'>, record: UserRecord): AdminUser {
  return { ...toUser(record, config), disabledAt: record.disabledAt, emailProvenAt: record.emailProvenAt };
}

/** Builds the error for an unknown user id. */
export function userNotFound(): CodedError {
  return new CodedError('NOT_FOUND', 'There is no such user.');
}

/** @throws CodedError `NOT_FOUND` if the text cannot be the id of a user */
export function parseUserId(id: unknown): UserId {
  if (typeof id !== 'string' || id === '' || !isStorableText(id)) throw userNotFound();
  return toUserId(id);
}
