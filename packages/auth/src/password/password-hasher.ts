/** Turns passwords into PHC strings and checks passwords against them, off the event loop. */
export interface PasswordHasher {
  /** Hashes a password with a new random salt and the live parameters, which the PHC string names. */
  hash(password: string): Promise<string>;

  /**
   * Says whether a hash is one that passwords can be verified against. False for a malformed hash, one of
   * another function, and one whose parameters would exhaust the machine.
   */
  canVerify(hash: string): boolean;

  /**
   * Says whether a password is the one that was hashed, with the parameters that the hash names. False, at no
   * cost, where it can't verify against the hash.
   */
  verify(hash: string, password: string): Promise<boolean>;

  /** Says whether a hash was made otherwise than {@link PasswordHasher.hash} makes them now. */
  needsRehash(hash: string): boolean;
}
