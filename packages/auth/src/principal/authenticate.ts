import { type Awaitable, ConfigurationError } from '@x/errors';
import type { AccessSubject } from '../token/claims.ts';
import type { Principal } from './principal.ts';

/**
 * A way to say who a request is from, such as an API key.
 *
 * @example
 * ```ts
 * const owners = new Map([['key-of-the-robot', { userId: 'robot', tenantId: null, role: 'service' }]]);
 * const apiKey = {
 *   name: 'api-key',
 *   isCsrfExempt: true,
 *   read: (headers: Headers) => headers.get('x-api-key'),
 *   verify: (key: string) => owners.get(key) ?? null,
 * };
 * const auth = await createAuth({ production: false, session: { strategy: 'jwt' }, credentials: [apiKey] });
 * ```
 */
export interface Credential {
  /** Says in principals and errors which one it was: unique, and neither `cookie` nor `bearer`. */
  readonly name: string;
  /**
   * Whether requests with it, and without a cookie of ours, may come from anywhere: browsers never send it on their
   * own, as they do cookies and the certificate that a proxy passes on in a header. Default: no.
   */
  readonly isCsrfExempt?: boolean;
  /** Returns the credential that a request presents, not verified yet; null if it presents none of this kind. */
  read(headers: Headers): string | null;
  /**
   * Returns the user that it belongs to; null if it is not valid. It decides itself whether this user may still act:
   * disabling, reclaiming or deleting an account ends sessions, and leaving a tenant moves them, but nothing else. A
   * coded error that it throws is the response. It may be called several times for one request.
   */
  verify(presented: string): Awaitable<CredentialOwner | null>;
}

/** The user of a credential. The tenant and the role are those that count in access decisions. */
export type CredentialOwner = Pick<AccessSubject, 'userId' | 'tenantId' | 'role'>;

/** A credential of sessions, whose principals are complete. */
export interface SessionCredential extends Omit<Credential, 'verify'> {
  verify(presented: string): Awaitable<Principal | null>;
}

/** Finds out who requests are from. */
export interface Authenticator {
  /**
   * Returns the principal of a request; null for an anonymous caller. The first credential that a request presents
   * decides: if it is not valid, no other one is asked.
   */
  authenticate(headers: Headers): Awaitable<Principal | null>;
  /** Says whether browsers never send the credential of a principal on their own. */
  isCsrfExempt(principal: Principal): boolean;
}

/**
 * @param ofApp - the credentials of the app, which are asked after those of sessions
 * @throws ConfigurationError if two have the same name
 */
export function createAuthenticator(
  ofSessions: readonly SessionCredential[],
  ofApp: readonly Credential[],
): Authenticator {
  const all = [...ofSessions, ...ofApp];
  assertUniqueNames(all.map(({ name }) => name));
  const exempt = new Set(all.filter(({ isCsrfExempt }) => isCsrfExempt).map(({ name }) => name));
  return {
    authenticate(headers) {
      for (const credential of ofSessions) {
        const presented = credential.read(headers);
        if (presented !== null) return credential.verify(presented);
      }
      return ofApp.length === 0 ? null : authenticateBy(ofApp, headers);
    },
    isCsrfExempt: ({ credential }) => exempt.has(credential),
  };
}

function assertUniqueNames(names: readonly string[]): void {
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new ConfigurationError(twice.map((name) => `credentials: two are called ${name}.`));
}

/** Asynchronous, so that errors of the app's functions become rejections. */
async function authenticateBy(ofApp: readonly Credential[], headers: Headers): Promise<Principal | null> {
  for (const credential of ofApp) {
    const presented = credential.read(headers);
    if (presented === null) continue;
    const owner = await credential.verify(presented);
    if (owner === null) return null;
    const { userId, tenantId, role } = owner;
    return { userId, tenantId, role, secondFactorAt: null, credential: credential.name };
  }
  return null;
}
