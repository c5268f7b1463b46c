/** Ids that can be used once among all processes on the database: an OAuth state, an MFA challenge. */
export interface OneTimeIdStore {
  /**
   * Claims an id, and says whether this call got it. It stays claimed at least until `expiresAt`, from when on no
   * process may accept it anyway.
   *
   * @param hash - SHA-256 of the id, base64url
   */
  claim(hash: string, expiresAt: Date): Promise<boolean>;

  /** Deletes up to `limit` expired ids, in the order of expiry, and returns how many. */
  prune(options: { readonly limit: number }): Promise<number>;
}
