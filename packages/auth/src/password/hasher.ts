/** Hashes passwords to PHC strings and verifies passwords against them, off the event loop. */
export interface PasswordHasher {
  /** Hashes a password with a new random salt and the current parameters, which the PHC string contains. */
  hash(password: string): Promise<string>;

  /**
   * Says whether passwords can be verified against a hash. False for a malformed hash, one of another function, and one
   * whose parameters would exhaust the machine.
   */
  canVerify(hash: string): boolean;

  /**
   * Says whether a password matches a hash, with the parameters that the hash contains. False, without any work, if it
   * can't verify against the hash.
   */
  verify(hash: string, password: string): Promise<boolean>;

  /** Says whether a hash differs from what {@link PasswordHasher.hash} would make now, in function or parameters. */
  needsRehash(hash: string): boolean;
}
