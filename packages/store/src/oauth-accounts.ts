import type { UserId } from './id.ts';

/** An identity at a provider, and the one user whom it signs in. */
export interface OAuthAccountRecord {
  readonly userId: UserId;
  /** The id that the app knows the provider by, such as `google`. */
  readonly provider: string;
  /** What the provider calls the identity, for good; its e-mail addresses come and go. */
  readonly providerId: string;
  /** The address that the provider named when the identity was linked; decides nothing. */
  readonly email: string | null;
}

/** Identities at providers, each linked to one user at most. Every method is one atomic step. */
export interface OAuthAccountStore {
  /**
   * Links an identity to a user. Of concurrent calls for one identity exactly one links it.
   *
   * `taken`: it is linked already, to whomever; `missing`: no such user. Both change nothing.
   */
  link(account: OAuthAccountRecord): Promise<'linked' | 'taken' | 'missing'>;

  /** Finds the user whom an identity is linked to. */
  findUserId(provider: string, providerId: string): Promise<UserId | null>;

  /** Lists the identities of a user, by provider and then by their ids there. */
  list(userId: UserId): Promise<readonly OAuthAccountRecord[]>;

  /**
   * Removes a user's identities at a provider, unless nothing would be left to sign in with: no identity elsewhere, and no
   * password with a `loginEmail`. Of concurrent calls none takes away what another one relied on.
   *
   * `not_linked`: the user has none there; `last_method`: nothing would be left. Both change nothing.
   */
  unlink(userId: UserId, provider: string): Promise<'unlinked' | 'not_linked' | 'last_method'>;

  /** Removes all identities of a user, whatever is left to sign in with, and returns them as {@link list} does. */
  removeAll(userId: UserId): Promise<readonly OAuthAccountRecord[]>;
}
