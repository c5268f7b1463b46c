import type { UserId } from '../values.ts';

/** An identity at a provider, and the one user it signs in. */
export interface OAuthAccountRecord {
  readonly userId: UserId;
  /** The app's id for the provider, such as `google`. */
  readonly provider: string;
  /** The provider's permanent id for the identity, whose e-mail addresses may change. */
  readonly providerId: string;
  /** The address that the provider gave when the identity was linked. Informational only. */
  readonly email: string | null;
}

/** Identities at providers, each linked to at most one user. Every method is one atomic step. */
export interface OAuthAccountStore {
  /**
   * Links an identity to a user. Of concurrent calls for one identity exactly one links it.
   *
   * `taken`: it is already linked, to this or another user; `missing`: there is no such user. Both change nothing.
   */
  link(account: OAuthAccountRecord): Promise<'linked' | 'taken' | 'missing'>;

  /** Finds the user that an identity is linked to. */
  findUserId(provider: string, providerId: string): Promise<UserId | null>;

  /** Lists the identities of a user, sorted by provider and then by provider id. */
  list(userId: UserId): Promise<readonly OAuthAccountRecord[]>;

  /**
   * Removes a user's identities at a provider, unless the user could no longer sign in: without an identity elsewhere,
   * or a password with a `loginEmail`. Concurrent calls never remove the last method together.
   *
   * `not_linked`: the user has none there; `last_method`: the user could no longer sign in. Both change nothing.
   */
  unlink(userId: UserId, provider: string): Promise<'unlinked' | 'not_linked' | 'last_method'>;

  /** Removes all identities of a user, even the last way to sign in, and returns them as {@link list} does. */
  removeAll(userId: UserId): Promise<readonly OAuthAccountRecord[]>;
}
