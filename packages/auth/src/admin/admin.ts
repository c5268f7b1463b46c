import { CodedError, type Result, toResult } from '@x/errors';
import { type EventRecord, isStorableText, type Page, toUserId, type UserRecord } from '@x/store';
import { canonicalizeEmail } from '../email/canonicalize-email.ts';
import { mfaNotEnabled } from '../mfa/mfa.ts';
import { type Resealed, resealSecrets } from '../mfa/secret.ts';
import { type PageQuery, toPageRequest } from '../request/page-query.ts';
import { changeFields, parseFieldChange } from '../user/field-values.ts';
import type { FieldInputs, NoFields, UserFields } from '../user/fields.ts';
import { type CreatedByOperator, createUser, type InvitedByOperator, inviteUser, setPassword } from './accounts.ts';
import {
  type AdminAction,
  type AdminDependencies,
  type AdminUser,
  assertRole,
  operatorStep,
  parseUserId,
  toAdminUser,
  userNotFound,
} from './operator-step.ts';

/**
 * Operations on any account, for operators' code. Nothing here checks who calls it: guard your routes, for example with
 * `requireRole`. An unknown user is `NOT_FOUND`; if a store is unavailable, `SERVICE_UNAVAILABLE`.
 */
export interface AuthAdmin<Fields extends UserFields = NoFields> {
  /** Finds a user by id or by the address that they sign in with. */
  findUser(query: UserQuery): Promise<Result<AdminUser<Fields>>>;
  /** Lists all users, the newest first. Codes: `INVALID_QUERY`. */
  listUsers(query?: UserListQuery): Promise<Result<Page<AdminUser<Fields>>>>;
  /**
   * Finds the users whose address starts with a text, contact addresses included, by address. Codes: `INVALID_QUERY`.
   */
  searchUsers(query: UserSearch): Promise<Result<readonly AdminUser<Fields>[]>>;
  /**
   * Creates a user, without a session or a mail; `onUserCreated` runs. Without a password, they can set one by a reset,
   * or sign in with a trusted provider that vouches for the address. Codes: `VALIDATION_FAILED`, `USER_EXISTS`.
   */
  createUser(user: CreatedByOperator<Fields>, action?: AdminAction): Promise<Result<AdminUser<Fields>>>;
  /**
   * Creates a user without a password, and mails them a token that is good for a week: `onSend` of `passwordReset` gets
   * it, with `isInvitation`, and `/reset-password` takes it. A user who has not accepted yet gets another token, which
   * replaces the first. Codes: `VALIDATION_FAILED`, `USER_EXISTS`, `RATE_LIMITED` after ten mails in an hour;
   * `NOT_FOUND` if password reset is not enabled.
   */
  inviteUser(user: InvitedByOperator<Fields>, action?: AdminAction): Promise<Result<AdminUser<Fields>>>;
  /**
   * Sets the password of a user, which has to fulfil the policy, ends their sessions, and voids mailed tokens. Second
   * factors and linked identities stay. Codes: `VALIDATION_FAILED`.
   */
  setPassword(id: string, password: string, action?: AdminAction): Promise<Result<AdminUser<Fields>>>;
  /** Ends all sessions of a user; from then on, sign-in refuses them like a wrong password. */
  disableUser(id: string, action?: AdminAction): Promise<Result<AdminUser<Fields>>>;
  /** Lets a disabled user sign in again. */
  enableUser(id: string, action?: AdminAction): Promise<Result<AdminUser<Fields>>>;
  /**
   * Gives a user a role, a text of 1 to 64 visible characters. JWTs that name the old one are refused; the sessions
   * stay. Codes: `VALIDATION_FAILED`.
   */
  setRole(id: string, role: string, action?: AdminAction): Promise<Result<AdminUser<Fields>>>;
  /**
   * Changes fields of a user, those that they may not change themselves included; absent ones stay as they are. JWTs
   * show it after the next refresh. Codes: `VALIDATION_FAILED`.
   */
  updateUser(
    id: string,
    fields: Partial<FieldInputs<Fields>>,
    action?: AdminAction,
  ): Promise<Result<AdminUser<Fields>>>;
  /** Ends all sessions of a user, and returns how many. */
  signOutUser(id: string, action?: AdminAction): Promise<Result<{ readonly revoked: number }>>;
  /** Turns a user's second factor off, so that they can set up another one. Codes: `MFA_NOT_ENABLED`. */
  removeMfa(id: string, action?: AdminAction): Promise<Result<AdminUser<Fields>>>;
  /**
   * Seals all stored secrets again with the first key of `oauthEncryptionKey`, so that the others can be removed. All
   * processes must have that key as their first. Safe while the app runs, and in several processes at once. `NOT_FOUND`
   * if the app has no second factors.
   */
  reseal(): Promise<Result<Resealed>>;
  /** Lists the events of a user or of a tenant, the newest first. Codes: `INVALID_QUERY`. */
  listEvents(query: EventQuery): Promise<Result<Page<EventRecord>>>;
}

/** Identifies a user: by id, or by any spelling of the address that they sign in with. */
export type UserQuery = { readonly id: string } | { readonly email: string };

/** Selects a page of users. */
export type UserListQuery = PageQuery;

/** Selects users by how their address starts. */
export interface UserSearch {
  /** In any letter case; an empty text finds all. */
  readonly email: string;
  /** 1 to 100, default 20. */
  readonly limit?: number;
}

/** Selects the events of a user or of a tenant. */
export type EventQuery = PageQuery & ({ readonly userId: string } | { readonly tenantId: string });

/** Builds `auth.admin`. */
export function createAuthAdmin(deps: AdminDependencies): AuthAdmin {
  const run = <T>(verb: () => Promise<T>): Promise<Result<T>> => toResult(verb, deps.events.logger);
  return {
    findUser: (query) => run(() => findUser(deps, query)),
    searchUsers: (query) => run(() => searchUsers(deps, query)),
    createUser: (user, action) => run(() => createUser(deps, user, action)),
    inviteUser: (user, action) => run(() => inviteUser(deps, user, action)),
    setPassword: (id, password, action) => run(() => setPassword(deps, { id, password }, action)),
    listUsers: (query) => run(() => listUsers(deps, query)),
    disableUser: (id, action) => run(() => disableUser(deps, id, action)),
    enableUser: (id, action) => run(() => enableUser(deps, id, action)),
    setRole: (id, role, action) => run(() => setRole(deps, { id, role }, action)),
    updateUser: (id, fields, action) => run(() => updateUser(deps, { id, fields }, action)),
    signOutUser: (id, action) => run(() => signOutUser(deps, id, action)),
    removeMfa: (id, action) => run(() => removeMfa(deps, id, action)),
    reseal: () => run(() => resealSecrets(deps.mfa)),
    listEvents: (query) => run(() => listEvents(deps, query)),
  };
}

async function findUser(deps: AdminDependencies, query: UserQuery): Promise<AdminUser> {
  if ('id' in query && 'email' in query) throw new TypeError('findUser: takes an id or an email, not both.');
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

async function searchUsers(deps: AdminDependencies, query: UserSearch): Promise<readonly AdminUser[]> {
  const { email, ...page } = query;
  const { limit } = toPageRequest(page);
  if (typeof email !== 'string') throw new CodedError('INVALID_QUERY', 'The start of an address must be a text.');
  // As far as the start of an address has a canonical form.
  const prefix = email.normalize('NFKC').trim().toLowerCase();
  return (await deps.stores.users.search(prefix, limit)).map((user) => toAdminUser(deps, user));
}

async function listUsers(deps: AdminDependencies, query: UserListQuery = {}): Promise<Page<AdminUser>> {
  const { items, nextCursor } = await deps.stores.users.list(toPageRequest(query));
  return { items: items.map((user) => toAdminUser(deps, user)), nextCursor };
}

/** If the user is already disabled, `disabledAt` stays as it is. */
function disableUser(deps: AdminDependencies, id: string, action?: AdminAction): Promise<AdminUser> {
  return operatorStep(deps, action, async (stores, log) => {
    const user = await stores.users.setDisabled(parseUserId(id), true, log.cause());
    if (user === null) throw userNotFound();
    await stores.sessions.revokeAll(user.id, log.cause({ reason: 'operator' }));
    return toAdminUser(deps, user);
  });
}

/** The sessions that were ended stay ended. */
function enableUser(deps: AdminDependencies, id: string, action?: AdminAction): Promise<AdminUser> {
  return operatorStep(deps, action, async (stores, log) => {
    const user = await stores.users.setDisabled(parseUserId(id), false, log.cause());
    if (user === null) throw userNotFound();
    return toAdminUser(deps, user);
  });
}

async function setRole(
  deps: AdminDependencies,
  { id, role }: { readonly id: string; readonly role: string },
  action?: AdminAction,
): Promise<AdminUser> {
  assertRole(role);
  return operatorStep(deps, action, async (stores, log) => {
    const user = await stores.users.setRole(parseUserId(id), role, log.cause());
    if (user === null) throw userNotFound();
    await stores.sessions.bumpTokenVersion(user.id);
    return toAdminUser(deps, user);
  });
}

/** The log names the fields, not their values. */
async function updateUser(
  deps: AdminDependencies,
  { id, fields }: { readonly id: string; readonly fields: unknown },
  action?: AdminAction,
): Promise<AdminUser> {
  const change = parseFieldChange(fields, deps.config.userFields);
  return operatorStep(deps, action, async (stores, log) => {
    const locked = await stores.users.lock(parseUserId(id));
    if (locked === null) throw userNotFound();
    const cause = log.cause({ detail: { fields: Object.keys(change) } });
    const user = await stores.users.setFields(locked.id, changeFields(locked.fields, change, deps.config), cause);
    if (user === null) throw userNotFound();
    return toAdminUser(deps, user);
  });
}

function signOutUser(deps: AdminDependencies, id: string, action?: AdminAction): Promise<{ readonly revoked: number }> {
  return operatorStep(deps, action, async (stores, log) => {
    const user = await stores.users.findById(parseUserId(id));
    if (user === null) throw userNotFound();
    const ended = await stores.sessions.revokeAll(user.id, log.cause({ reason: 'operator' }));
    return { revoked: ended.length };
  });
}

/** The sessions stay, as they do if the user turns it off. */
function removeMfa(deps: AdminDependencies, id: string, action?: AdminAction): Promise<AdminUser> {
  return operatorStep(deps, action, async (stores, log) => {
    const user = await stores.users.lock(parseUserId(id));
    if (user === null) throw userNotFound();
    if (!(await stores.mfa.remove(user.id))) throw mfaNotEnabled();
    const detail = { reason: 'operator' };
    const { id: userId, tenantId } = user;
    await log.append(stores, { type: 'mfa.disabled', userId, tenantId, detail, owner: user });
    return toAdminUser(deps, user);
  });
}

/** Events outlive their user, so an unknown user has an empty list rather than an error. */
async function listEvents({ stores }: AdminDependencies, query: EventQuery): Promise<Page<EventRecord>> {
  const { userId, tenantId, ...rest }: { readonly userId?: unknown; readonly tenantId?: unknown } & PageQuery = query;
  if ('userId' in query && 'tenantId' in query) {
    throw new TypeError('listEvents: takes a userId or a tenantId, not both.');
  }
  const page = toPageRequest(rest);
  const id = 'userId' in query ? userId : tenantId;
  if (typeof id !== 'string' || !isStorableText(id)) return { items: [], nextCursor: null };
  return 'userId' in query ? stores.events.listByUser(toUserId(id), page) : stores.events.listByTenant(id, page);
}
