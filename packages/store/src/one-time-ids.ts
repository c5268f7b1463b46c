/** What was used up, among all processes on the database: an OAuth state, an MFA challenge. */
export interface OneTimeIdStore {
  /**
   * Takes an id for its only use, and says whether this call is the one that has it. It stays taken at least until
   * `expiresAt`, by when nobody may accept it any more.
   *
   * @param hash - SHA-256 of what is used, base64url
   */
  claim(hash: string, expiresAt: Date): Promise<boolean>;

  /** Deletes up to `limit` ids that are past their time, the first to end first, and says how many. */
  prune(options: { readonly limit: number }): Promise<number>;
}
