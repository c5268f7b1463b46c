import type { UserId } from '../values.ts';

/** A user's active second factor. */
export interface MfaRecord {
  readonly userId: UserId;
  /** The shared secret of the authenticator app, encrypted by the caller. */
  readonly secret: string;
  /**
   * The time step of the last accepted code; that step and all earlier ones can't be used again (RFC 6238 section 5.2).
   */
  readonly lastStep: number;
  /** How many codes of the authenticator app were wrong since the last accepted code of any kind. */
  readonly wrongCodes: number;
  readonly backupCodesRemaining: number;
  readonly enabledAt: Date;
}

/** A second factor that awaits its first code. */
export interface PendingMfa {
  readonly userId: UserId;
  /** Encrypted by the caller. */
  readonly secret: string;
  /** From this moment on, the setup has expired. */
  readonly expiresAt: Date;
}

/** The stored secret of a user's second factor, active or pending. */
export interface StoredMfaSecret {
  readonly userId: UserId;
  /** Encrypted by the caller. */
  readonly secret: string;
}

/**
 * The second factors of users; a user has at most one, active or pending. Every method is one atomic step. A step that
 * takes a code names the stored secret that the code was verified against, and fails if the secret has changed since.
 * The steps that fail, too, lock the user until the end of the transaction that they are part of.
 */
export interface MfaStore {
  /** Finds an active second factor. In a transaction that has locked the user, no other transaction can change it. */
  find(userId: UserId): Promise<MfaRecord | null>;

  /** Finds a pending second factor that has not expired. */
  findPending(userId: UserId): Promise<PendingMfa | null>;

  /**
   * Stores a secret that awaits its first code, replacing a pending one. If the second factor is active, or there is no
   * such user: false, and nothing is changed.
   */
  startSetup(setup: PendingMfa): Promise<boolean>;

  /**
   * Activates a pending second factor, with the step of its first code and with backup codes. If this secret is not
   * pending, or has expired: false, and nothing is changed.
   *
   * @param factor.backupCodeHashes - without duplicates
   */
  enable(
    userId: UserId,
    factor: { readonly secret: string; readonly step: number; readonly backupCodeHashes: readonly string[] },
  ): Promise<boolean>;

  /**
   * Consumes the step of a right code, after which no codes in a row are wrong. If that step or a later one was
   * consumed before, `lockedAt` codes or more in a row were wrong, or the second factor with this secret is not active:
   * false, and nothing is changed. Of concurrent calls with one step, one succeeds.
   *
   * @param code.lockedAt - 1 or more
   */
  acceptStep(
    userId: UserId,
    code: { readonly secret: string; readonly step: number; readonly lockedAt: number },
  ): Promise<boolean>;

  /**
   * Counts a wrong code of the authenticator app, and returns how many in a row were wrong by now. Of concurrent calls,
   * no two return the same number. If no second factor is active: 0.
   */
  countWrongCode(userId: UserId): Promise<number>;

  /**
   * Consumes a backup code, after which no codes in a row are wrong. False if it is not the user's, or was consumed
   * before. Of concurrent calls, one succeeds.
   */
  consumeBackupCode(userId: UserId, codeHash: string): Promise<boolean>;

  /**
   * Replaces all backup codes; the new ones must not contain duplicates. If no second factor is active: false, and
   * nothing is changed.
   */
  replaceBackupCodes(userId: UserId, codeHashes: readonly string[]): Promise<boolean>;

  /**
   * Stores the same secret encrypted otherwise, active or pending. If the stored text is not the expected one: false,
   * and nothing is changed. Of concurrent calls that expect one text, one succeeds.
   */
  replaceSecret(userId: UserId, secret: { readonly expected: string; readonly next: string }): Promise<boolean>;

  /**
   * Lists the secrets of all second factors that are active or can still be activated, by user id.
   *
   * @param page.after - the last user id of the previous page; null for the first page
   * @param page.limit - 1 or more
   */
  listSecrets(page: { readonly after: UserId | null; readonly limit: number }): Promise<readonly StoredMfaSecret[]>;

  /** Deletes a second factor, active or pending, with its backup codes, and says whether one was active. */
  remove(userId: UserId): Promise<boolean>;
}
