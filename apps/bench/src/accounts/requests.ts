import { type RequestParts, writeRequest } from '../load/write-request.ts';
import { ownOrigin } from '../servers/server-variables.ts';
import { cookieHeader, type SessionCookies } from './session-cookies.ts';

/** Who signs up or in. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Returns the credentials of a user of the bench by number. */
export function credentialsOf(user: number): Credentials {
  return { email: `user-${user}@bench.example`, password: 'correct horse battery staple' };
}

/** Writes the request that signs a user up. */
export function signUpRequest(credentials: Credentials, clientAddress: string): string {
  return writeRequest(post('/api/auth/signup', clientAddress, { body: JSON.stringify(credentials) }));
}

/** Writes the request that signs a user in. */
export function signInRequest(credentials: Credentials, clientAddress: string): string {
  return writeRequest(post('/api/auth/signin', clientAddress, { body: JSON.stringify(credentials) }));
}

/** Writes the request that rotates a session. */
export function refreshRequest(cookies: SessionCookies, clientAddress: string): string {
  return writeRequest(post('/api/auth/refresh', clientAddress, { headers: { Cookie: cookieHeader(cookies) } }));
}

/** Writes the request that asks who is signed in. */
export function getSessionRequest(cookies: SessionCookies): string {
  return writeRequest({ method: 'GET', path: '/api/auth/session', headers: { Cookie: cookieHeader(cookies) } });
}

/** Writes the request that lists the user's sessions. */
export function listSessionsRequest(cookies: SessionCookies): string {
  return writeRequest({ method: 'GET', path: '/api/auth/sessions', headers: { Cookie: cookieHeader(cookies) } });
}

/** What the page of the application sends with everything that writes. */
function post(path: string, clientAddress: string, rest: Pick<RequestParts, 'headers' | 'body'>): RequestParts {
  const headers = {
    Origin: ownOrigin,
    'X-APP-Request': '1',
    'X-Forwarded-For': clientAddress,
    'Content-Type': 'application/json',
    ...rest.headers,
  };
  return { method: 'POST', path, ...rest, headers };
}
