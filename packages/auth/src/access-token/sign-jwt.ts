import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose/jwt/sign';
import jws from 'jws';
import type { SigningAlgorithm } from '../config/auth-settings.ts';
import type { Awaitable } from './verify-access-token.ts';

/** What a JWT is made of. */
export interface UnsignedJwt {
  readonly header: { readonly alg: SigningAlgorithm; readonly kid: string; readonly typ: 'JWT' };
  readonly payload: Readonly<Record<string, unknown>>;
}

type Sign = (jwt: UnsignedJwt, key: KeyObject) => Awaitable<string>;

/** A signature with a curve takes less than the way to another thread and back; one with RSA eight times as much. */
const signers: Readonly<Record<SigningAlgorithm, Sign>> = {
  ES256: (jwt, privateKey) => jws.sign({ ...jwt, privateKey }),
  RS256: ({ header, payload }, key) => new SignJWT(payload).setProtectedHeader(header).sign(key),
};

/** Signs a JWT, to its compact serialization. Where signing takes long it is done on another thread. */
export function signJwt(jwt: UnsignedJwt, key: KeyObject): Awaitable<string> {
  return signers[jwt.header.alg](jwt, key);
}
