import type { KeyObject } from 'node:crypto';
import type { SigningAlgorithm } from '../config/auth-settings.ts';

interface PublicJwkUse {
  readonly alg: SigningAlgorithm;
  readonly use: 'sig';
  /** The RFC 7638 thumbprint. */
  readonly kid: string;
}

/** The public half of a signing key, in the form of RFC 7517. */
export type PublicJwk =
  | (PublicJwkUse & { readonly kty: 'RSA'; readonly n: string; readonly e: string })
  | (PublicJwkUse & { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string });

/** The key that signs, and all keys whose signatures are accepted. */
export interface KeyRing {
  readonly algorithm: SigningAlgorithm;
  /** Names the signing key. */
  readonly kid: string;
  readonly signingKey: KeyObject;
  /** By `kid`; the public half of the signing key first, then older keys. */
  readonly verificationKeys: ReadonlyMap<string, KeyObject>;
  /** What others verify our tokens with, in the order of {@link KeyRing.verificationKeys}. */
  readonly jwks: { readonly keys: readonly PublicJwk[] };
  /**
   * The private number of the signing key, for key derivation. The same key gives the same bytes, whatever PEM format
   * it was in.
   */
  readonly secret: Uint8Array;
}
