import type { UserId } from './id.ts';
import type { JsonObject } from './json.ts';
import type { Page, PageRequest } from './paging.ts';

/** One user as stored. Never leaves the server as it is: see the public `User` of `@x/auth`. */
export interface UserRecord {
  readonly id: UserId;
  /** The address that mails go to and that the app shows, in canonical form. Not unique. */
  readonly email: string;
  /**
   * The unique key that sign-in, reset and linking look up: the canonical e-mail, or null for a user
   * whose address came from a provider that does not vouch for it.
   */
  readonly loginEmail: string | null;
  /** What the app shows; decides nothing. */
  readonly emailVerified: boolean;
  /** When a mail token or a trusted provider proved the address; the only proof that privileges may rest on. */
  readonly emailProvenAt: Date | null;
  /** A PHC string, or null for a user without a password. */
  readonly passwordHash: string | null;
  readonly role: string;
  readonly tenantId: string | null;
  /** Set while the user may not sign in. */
  readonly disabledAt: Date | null;
  /** The fields that the app declared beside ours. */
  readonly fields: JsonObject;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A user to be stored; the store adds the moments from its clock. */
export type NewUser = Omit<UserRecord, 'createdAt' | 'updatedAt' | 'disabledAt'>;

/** Users and their credentials. Every method is one atomic step; what changes a user moves `updatedAt`. */
export interface UserStore {
  /** Stores a user, or returns null and changes nothing where another user holds the same `loginEmail`. */
  create(user: NewUser): Promise<UserRecord | null>;

  findById(id: UserId): Promise<UserRecord | null>;

  /** Finds a user who, inside a transaction, stays as they are until it is over, but for what it does itself. */
  hold(id: UserId): Promise<UserRecord | null>;

  /** Finds several users in one query, in no particular order; those that are missing are left out. */
  findMany(ids: readonly UserId[]): Promise<readonly UserRecord[]>;

  findByLoginEmail(loginEmail: string): Promise<UserRecord | null>;

  /** Lists all users, the newest first, then by id. A cursor that is none: `INVALID_QUERY`. */
  list(page: PageRequest): Promise<Page<UserRecord>>;

  /**
   * Replaces the password hash if it still is `expectedHash` (null: the user has none yet), and says
   * whether it did. Of concurrent calls with one `expectedHash`, exactly one succeeds.
   */
  changePassword(id: UserId, change: { expectedHash: string | null; nextHash: string }): Promise<boolean>;

  /** Gives a user a password whatever theirs was, or none, and returns the user; null where there is none. */
  setPassword(id: UserId, passwordHash: string | null): Promise<UserRecord | null>;

  /**
   * Records that a user's address is theirs: verified, and proven now. Null, and nothing changed, where it is not `email`
   * any more.
   */
  proveEmail(id: UserId, email: string): Promise<UserRecord | null>;

  /**
   * Makes a proven address the user's `email` and `loginEmail`, verified and proven now.
   *
   * `taken`: another user holds it as `loginEmail`; `missing`: no such user. Both change nothing.
   */
  claimEmail(id: UserId, email: string): Promise<'claimed' | 'taken' | 'missing'>;

  /**
   * Lets a user sign in no more, or again, and returns the user; null where there is none. No session starts after
   * it; to end those that are there, join `sessions.revokeAll` in one transaction, after it. Of a user who is
   * disabled already, `disabledAt` stays.
   */
  setDisabled(id: UserId, isDisabled: boolean): Promise<UserRecord | null>;

  /**
   * Gives a user a role and returns the user; null where there is none. JWTs that name the old role stay good until
   * `sessions.raiseVer` joins it in one transaction, after it.
   */
  setRole(id: UserId, role: string): Promise<UserRecord | null>;

  /**
   * Makes a tenant, or none, the one that the user's next sessions start in, and returns the user; null where there is no
   * such user. Sessions that are there stay in theirs.
   */
  setTenant(id: UserId, tenantId: string | null): Promise<UserRecord | null>;

  /**
   * Deletes a user and all that is theirs but the log, and returns the user; null where there is none. JWTs of their
   * sessions stay good until `sessions.revokeAll` joins it in one transaction, before it.
   */
  delete(id: UserId): Promise<UserRecord | null>;
}
