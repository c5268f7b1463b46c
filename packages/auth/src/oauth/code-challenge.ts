import { hash, randomBytes } from 'node:crypto';

/** Creates a code verifier of 256 random bits: 43 characters. See RFC 7636 section 4.1. */
export function createCodeVerifier(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the S256 challenge of a verifier. See RFC 7636 section 4.2. */
export function toCodeChallenge(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}
