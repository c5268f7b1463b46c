import type { UserId } from './id.ts';

/**
 * What a mailed token stands for until it is used. A user has one of each kind at most, and it is good for as long as the
 * address that it was made for is theirs.
 */
export interface MailTokenRecord {
  readonly userId: UserId;
  /** SHA-256 of the token, base64url. */
  readonly tokenHash: string;
  /** The user's `email` when the token was made. */
  readonly email: string;
  /** The address that the token was sent to where it is to become the user's; null where it went to {@link email}. */
  readonly newEmail: string | null;
  /** The token is past its time at this very moment. */
  readonly expiresAt: Date;
}

/** Tokens of one kind that were sent by mail. Every method is one atomic step. */
export interface MailTokenStore {
  /** Stores a token in the place of the user's older one. False, and nothing changed, where there is no such user. */
  replace(token: MailTokenRecord): Promise<boolean>;

  /** Finds a token that was neither used nor replaced, also one past its time. */
  find(tokenHash: string): Promise<MailTokenRecord | null>;

  /**
   * Deletes and returns a token that is not past its time. Of concurrent calls one has it, the others null. What it is
   * good for joins it in one transaction.
   */
  consume(tokenHash: string): Promise<MailTokenRecord | null>;

  /** Deletes the user's token, if there is one. */
  remove(userId: UserId): Promise<void>;

  /** Deletes up to `limit` tokens whose time was over before `before`, the first to end first, and says how many. */
  prune(options: { readonly before: Date; readonly limit: number }): Promise<number>;
}
