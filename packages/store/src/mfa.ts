import type { UserId } from './id.ts';

/** A user's second factor while it is on. */
export interface MfaRecord {
  readonly userId: UserId;
  /** The shared secret of the authenticator app, encrypted by the caller. */
  readonly secret: string;
  /** The time step of the last accepted code: that step and all before it are used up (RFC 6238 section 5.2). */
  readonly lastStep: number;
  readonly backupCodesRemaining: number;
  readonly enabledAt: Date;
}

/** A second factor that waits for its first code. */
export interface PendingMfa {
  readonly userId: UserId;
  /** Encrypted by the caller. */
  readonly secret: string;
  /** The set-up is over at this very moment. */
  readonly expiresAt: Date;
}

/**
 * The second factors of users; a user has one at most, on or pending. Every method is one atomic step. A step on a code
 * names the stored secret that the code was verified against, and fails where it is another one by then.
 */
export interface MfaStore {
  /** Finds a second factor that is on. Inside a transaction that holds the user it stays so, but for what that does itself. */
  find(userId: UserId): Promise<MfaRecord | null>;

  /** Finds a second factor that waits and is not past its time. */
  findPending(userId: UserId): Promise<PendingMfa | null>;

  /**
   * Stores a secret that waits for its first code, in the place of an older one that waits. False, and nothing changed,
   * where the second factor is on, or there is no such user.
   */
  startSetup(setup: PendingMfa): Promise<boolean>;

  /**
   * Turns on what waits, with the step of its first code and with backup codes. False, and nothing changed, where this
   * secret does not wait, or is past its time.
   *
   * @param factor.backupCodeHashes - no two the same
   */
  enable(
    userId: UserId,
    factor: { readonly secret: string; readonly step: number; readonly backupCodeHashes: readonly string[] },
  ): Promise<boolean>;

  /**
   * Takes the step of a right code for its only use. False, and nothing changed, where that step or a later one was taken
   * before, or the second factor with this secret is not on. Of concurrent calls with one step, one succeeds.
   */
  acceptStep(userId: UserId, code: { readonly secret: string; readonly step: number }): Promise<boolean>;

  /** Uses a backup code up. False where it is not the user's, or no longer. Of concurrent calls one succeeds. */
  consumeBackupCode(userId: UserId, codeHash: string): Promise<boolean>;

  /** Puts backup codes, no two the same, in the place of all older ones. False, and nothing changed, where none is on. */
  replaceBackupCodes(userId: UserId, codeHashes: readonly string[]): Promise<boolean>;

  /** Deletes a second factor, on or pending, with its backup codes, and says whether one was on. */
  remove(userId: UserId): Promise<boolean>;
}
