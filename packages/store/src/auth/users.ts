import type { Cause } from '../events.ts';
import type { Page, PageRequest } from '../paging.ts';
import type { JsonObject, UserId } from '../values.ts';

/** One user as stored. Never sent to clients as it is: see the public `User` of `@x/auth`. */
export interface UserRecord {
  readonly id: UserId;
  /** The address that mails are sent to and that the app shows, in canonical form. Not unique. */
  readonly email: string;
  /**
   * The unique key that sign-in, reset and linking look up: the canonical e-mail address, or null for a user whose
   * address came from a provider that does not vouch for it.
   */
  readonly loginEmail: string | null;
  /** Whether a mailed token came back from the address, or a provider says so; no privilege depends on it. */
  readonly emailVerified: boolean;
  /** When the holder of the account proved the address; the only proof that privileges may depend on. */
  readonly emailProvenAt: Date | null;
  /** A PHC string, or null for a user without a password. */
  readonly passwordHash: string | null;
  readonly role: string;
  readonly tenantId: string | null;
  /** Set while the user is disabled and may not sign in. */
  readonly disabledAt: Date | null;
  /** The unfinished step of the account, which takes further transactions; null almost always. */
  readonly unfinished: UnfinishedStep | null;
  /** The app's own fields. */
  readonly fields: JsonObject;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * A step that takes several transactions: the account is handed to the owner of its address, or deleted. The first
 * transaction removes all means to sign in; any process that finds the rest undone can go on with it.
 */
export type UnfinishedStep = 'reclaim' | 'deletion';

/** A change of a password hash. */
export interface PasswordHashes {
  /** The hash that the user must still have; null for none. */
  readonly expectedHash: string | null;
  readonly nextHash: string;
}

/** A user to store; the store adds the timestamps from its clock. */
export type NewUser = Omit<UserRecord, 'createdAt' | 'updatedAt' | 'disabledAt' | 'unfinished'>;

/**
 * Users and their credentials. Every method is one atomic step; every change of a user updates `updatedAt`. The steps
 * that take a cause log what they change.
 */
export interface UserStore {
  /** Stores a user; null, and nothing is changed, if another user has the same `loginEmail`. Logs `user.created`. */
  create(user: NewUser, cause?: Cause): Promise<UserRecord | null>;

  findById(id: UserId): Promise<UserRecord | null>;

  /** Finds a user. In a transaction, no other transaction can change them until it ends. */
  lock(id: UserId): Promise<UserRecord | null>;

  /** Finds several users in one query, in no particular order; missing ones are left out. */
  findMany(ids: readonly UserId[]): Promise<readonly UserRecord[]>;

  findByLoginEmail(loginEmail: string): Promise<UserRecord | null>;

  /**
   * Finds the users whose `email` starts with a text, at most `limit` of them, by `email` (in the order of code
   * points), then by id.
   */
  search(emailPrefix: string, limit: number): Promise<readonly UserRecord[]>;

  /** Lists all users, the newest first, then by id. An invalid cursor: `INVALID_QUERY`. */
  list(page: PageRequest): Promise<Page<UserRecord>>;

  /**
   * Replaces the password hash if it is still `expectedHash` (null: the user has none yet), and says whether it did. Of
   * concurrent calls with one `expectedHash`, exactly one succeeds. Logs `password.changed`.
   */
  changePassword(id: UserId, change: PasswordHashes, cause?: Cause): Promise<boolean>;

  /** Replaces the hash of the same password, for newer parameters, as `changePassword` does. Logs nothing. */
  rehashPassword(id: UserId, change: PasswordHashes): Promise<boolean>;

  /** Sets or removes a password, and returns the user; null if there is no such user. Logs `password.changed`. */
  setPassword(id: UserId, passwordHash: string | null, cause?: Cause): Promise<UserRecord | null>;

  /** Does the same for a user who had forgotten the password. Logs `password.reset`. */
  resetPassword(id: UserId, passwordHash: string, cause?: Cause): Promise<UserRecord | null>;

  /**
   * Records that a user's address is verified. If it is no longer their `email`: null, and nothing is changed. Logs
   * `email.verified` if it was not verified before.
   */
  verifyEmail(id: UserId, email: string, cause?: Cause): Promise<UserRecord | null>;

  /**
   * Records that a user's address is verified, and proven now by the holder of the account, which finishes a reclaim.
   * If it is no longer their `email`: null, and nothing is changed. Logs `email.verified` if it was not proven before.
   */
  proveEmail(id: UserId, email: string, cause?: Cause): Promise<UserRecord | null>;

  /**
   * Makes an address the user's `email` and `loginEmail`, verified and, until `proveEmail`, not proven.
   *
   * `taken`: another user has it as `loginEmail`; `missing`: there is no such user. Both change nothing. Logs
   * `email.changed`.
   */
  claimEmail(id: UserId, email: string, cause?: Cause): Promise<'claimed' | 'taken' | 'missing'>;

  /**
   * Disables or enables a user, and returns the user; null if there is no such user. No session starts after disabling;
   * to end existing ones, call `sessions.revokeAll` afterwards in the same transaction. If the user is already
   * disabled, `disabledAt` stays as it is. Logs `user.disabled` or `user.enabled`.
   */
  setDisabled(id: UserId, isDisabled: boolean, cause?: Cause): Promise<UserRecord | null>;

  /**
   * Sets a user's role and returns the user; null if there is no such user. JWTs with the old role stay valid unless
   * `sessions.bumpTokenVersion` is called afterwards in the same transaction. Logs `user.role_changed`.
   */
  setRole(id: UserId, role: string, cause?: Cause): Promise<UserRecord | null>;

  /**
   * Sets the tenant, or none, that the user's next sessions start in, and returns the user; null if there is no such
   * user. Existing sessions stay in theirs. Logs `user.tenant_changed`, unless it is implied; it is no
   * part of the user's own history.
   */
  setTenant(id: UserId, tenantId: string | null, cause?: Cause): Promise<UserRecord | null>;

  /**
   * Replaces the app's own fields of a user, and returns the user; null if there is no such user. To change only some,
   * `lock` the user before in the same transaction, and pass the others on. JWTs show the old ones until the session is
   * refreshed. Logs `user.updated`; the cause names the fields in its detail.
   */
  setFields(id: UserId, fields: JsonObject, cause?: Cause): Promise<UserRecord | null>;

  /**
   * Removes a user's password, verifies their address, and notes that the account is being reclaimed; returns the user,
   * or null if there is no such user. Finished by `proveEmail`. Logs `account.reclaimed`.
   */
  startReclaim(id: UserId, cause?: Cause): Promise<UserRecord | null>;

  /**
   * Disables a user, removes their password and their `loginEmail`, which others can have from then on, and notes that
   * the account is being deleted; returns the user, or null if there is no such user. Finished by `delete`. Logs
   * `user.deleted`.
   */
  startDeletion(id: UserId, cause?: Cause): Promise<UserRecord | null>;

  /** Lists users whose accounts have an unfinished step, by their ids: the first ones after an id, or of all. */
  listUnfinished(page: { readonly after: UserId | null; readonly limit: number }): Promise<readonly UserRecord[]>;

  /**
   * Deletes a user and everything that belongs to them except the log, and returns the user; null if there is no such
   * user. JWTs of their sessions stay valid unless `sessions.revokeAll` is called before, in the same transaction. Logs
   * `user.deleted`, unless `startDeletion` has, `role.revoked` for each of their roles, and `group.member_removed` for
   * each group that they were in.
   */
  delete(id: UserId, cause?: Cause): Promise<UserRecord | null>;
}
