import type { UserId } from '../values.ts';

/**
 * A mailed token that has not been used. A user has at most one of each kind, valid for as long as the address that it
 * was made for is theirs.
 */
export interface MailTokenRecord {
  readonly userId: UserId;
  /** SHA-256 of the token, base64url. */
  readonly tokenHash: string;
  /** The user's `email` when the token was made. */
  readonly email: string;
  /** The address to change to, if the token was sent there; null if it was sent to {@link email}. */
  readonly newEmail: string | null;
  /** From this moment on, the token has expired. */
  readonly expiresAt: Date;
}

/** Mailed tokens of one kind. Every method is one atomic step. */
export interface MailTokenStore {
  /** Stores a token, replacing the user's previous one. If there is no such user: false, and nothing is changed. */
  replace(token: MailTokenRecord): Promise<boolean>;

  /** Finds a token that was neither used nor replaced, even if it has expired. */
  find(tokenHash: string): Promise<MailTokenRecord | null>;

  /**
   * Deletes and returns a token that has not expired. Only one of several concurrent calls gets it, the others get
   * null. Take the step that the token allows in the same transaction.
   */
  consume(tokenHash: string): Promise<MailTokenRecord | null>;

  /** Deletes the user's token, if there is one. */
  remove(userId: UserId): Promise<void>;

  /** Deletes up to `limit` tokens that expired before `before`, in the order of expiry, and returns how many. */
  prune(options: { readonly before: Date; readonly limit: number }): Promise<number>;
}
