import { hash } from 'node:crypto';
import type { SessionId, SessionRecord } from '@x/store';
import { expect } from 'vitest';
import { refusalOf } from './refusal-of.ts';
import type { TestResponse, TestRequest } from './test-client.ts';
import type { TestServer } from './test-server.ts';

/** A response, and the session's new tokens; each is empty if the response sets none. */
export interface RefreshResponse extends TestResponse {
  readonly refreshToken: string;
  readonly accessToken: string;
}

/** Presents a refresh token from a browser that has no other cookie. */
export async function refreshWith(
  { client }: Pick<TestServer, 'client'>,
  refreshToken: string,
  request: TestRequest = {},
): Promise<RefreshResponse> {
  const browser = client();
  browser.cookies.set('app.ref', refreshToken);
  const response = await browser.post('/api/auth/refresh', undefined, request);
  return { ...response, refreshToken: setCookie(response, 'app.ref'), accessToken: setCookie(response, 'app.sid') };
}

/**
 * The value that a response sets a cookie to; empty if it does not. Before it, the cookie is expired on other paths.
 */
export function setCookie({ headers }: TestResponse, name: string): string {
  const prefix = `${name}=`;
  const found = headers.getSetCookie().findLast((cookie) => cookie.startsWith(prefix)) ?? prefix;
  return found.slice(prefix.length).replace(/;.*/, '');
}

/** Expects the response of `/refresh` for a session that has ended: 401, and both cookies cleared. */
export function expectSessionExpired(response: TestResponse): void {
  expect([refusalOf(response), response.headers.getSetCookie()]).toEqual(['SESSION_EXPIRED', clearedSession]);
}

/** The cookies that clear a session: the refresh token on every path that it may have been stored for. */
export const clearedSession: readonly string[] = [
  'app.sid=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
  ...['/', '/api', '/api/auth'].map((path) => `app.ref=; Max-Age=0; Path=${path}; HttpOnly; Secure; SameSite=Lax`),
];

/** Reads the id that the first bytes of a refresh token are. */
export function sessionIdOf(refreshToken: string): SessionId {
  const hex = Buffer.from(refreshToken, 'base64url').toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as SessionId;
}

/** Reads the row of the session that a refresh token is of. */
export async function storedSession(
  { server }: Pick<TestServer, 'server'>,
  refreshToken: string,
): Promise<SessionRecord> {
  const session = await server.stores.sessions.findById(sessionIdOf(refreshToken));
  if (session === null) throw new TypeError('There is no such session.');
  return session;
}

/** Makes the token that a session has, had or will have in a generation, with the server's own secret. */
export function deriveToken(
  { server }: Pick<TestServer, 'server'>,
  { id, refreshSalt }: Pick<SessionRecord, 'id' | 'refreshSalt'>,
  generation: number,
): string {
  return server.auth.dependencies.sessions.refreshTokens.derive({ sessionId: id, generation, salt: refreshSalt });
}

/** Returns the stored hash of a refresh token. */
export function storedHash(refreshToken: string): string {
  return `${sessionIdOf(refreshToken)}.${sha256(refreshToken)}`;
}

/** Hashes a token. */
export function sha256(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Returns whether a server accepts a JWT. */
export async function isValidJwt({ client }: Pick<TestServer, 'client'>, accessToken: string): Promise<boolean> {
  const { body } = await client().get('/api/auth/session', { headers: { cookie: `app.sid=${accessToken}` } });
  return body.session !== null;
}
