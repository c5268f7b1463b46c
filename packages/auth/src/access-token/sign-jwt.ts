import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose/jwt/sign';
import jws from 'jws';
import type { SigningAlgorithm } from '../config/auth-settings.ts';
import type { Awaitable } from './awaitable.ts';

/** The parts of a JWT before it is signed. */
export interface UnsignedJwt {
  readonly header: { readonly alg: SigningAlgorithm; readonly kid: string; readonly typ: 'JWT' };
  readonly payload: Readonly<Record<string, unknown>>;
}

type Sign = (jwt: UnsignedJwt, key: KeyObject) => Awaitable<string>;

/** ECDSA takes less time than a round trip to another thread; RSA takes about eight times as long. */
const signers: Readonly<Record<SigningAlgorithm, Sign>> = {
  ES256: (jwt, privateKey) => jws.sign({ ...jwt, privateKey }),
  RS256: ({ header, payload }, key) => new SignJWT(payload).setProtectedHeader(header).sign(key),
};

/** Signs a JWT and returns its compact serialization. Slow algorithms sign on another thread. */
export function signJwt(jwt: UnsignedJwt, key: KeyObject): Awaitable<string> {
  return signers[jwt.header.alg](jwt, key);
}
