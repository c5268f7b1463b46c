import { ownOrigin } from '../servers/server-variables.ts';
import type { ServerResponse } from './connection.ts';

/** The credentials of a user who signs up or in. */
interface Credentials {
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

/** Writes the request that ends a session. */
export function signOutRequest(cookies: SessionCookies, clientAddress: string): string {
  return writeRequest(post('/api/auth/signout', clientAddress, { headers: { Cookie: cookieHeader(cookies) } }));
}

/** Writes the request that asks who is signed in. */
export function getSessionRequest(cookies: SessionCookies): string {
  return writeRequest({ method: 'GET', path: '/api/auth/session', headers: { Cookie: cookieHeader(cookies) } });
}

/** Writes the request that lists the user's sessions. */
export function listSessionsRequest(cookies: SessionCookies): string {
  return writeRequest({ method: 'GET', path: '/api/auth/sessions', headers: { Cookie: cookieHeader(cookies) } });
}

/** Returns the parts of a request that writes, with the headers that the page of the application sends. */
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

/** Writes the request that reads a record or a list. */
export function readRecordsRequest(cookies: SessionCookies, path: string): string {
  return writeRequest({ method: 'GET', path, headers: { Cookie: cookieHeader(cookies) } });
}

/** Writes the request that creates a record, or changes one. */
export function writeRecordRequest(
  cookies: SessionCookies,
  { method, path, values }: { readonly method: 'POST' | 'PATCH'; readonly path: string; readonly values: object },
): string {
  return writeRequest({ method, path, headers: writeHeaders(cookies), body: JSON.stringify(values) });
}

/** Writes the request that deletes a record. */
export function deleteRecordRequest(cookies: SessionCookies, path: string): string {
  return writeRequest({ method: 'DELETE', path, headers: writeHeaders(cookies) });
}

function writeHeaders(cookies: SessionCookies): Readonly<Record<string, string>> {
  return {
    Origin: ownOrigin,
    'X-APP-Request': '1',
    'Content-Type': 'application/json',
    Cookie: cookieHeader(cookies),
  };
}

/** The cookies of a signed-in browser. */
export interface SessionCookies {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Writes the `Cookie` header that a browser sends below `/api/auth`. */
function cookieHeader({ accessToken, refreshToken }: SessionCookies): string {
  return `app.sid=${accessToken}; app.ref=${refreshToken}`;
}

/** Reads both cookies from the answer that sets them. */
export function readSessionCookies({ head }: ServerResponse): SessionCookies {
  const [, accessToken] = setAccessToken.exec(head) ?? [];
  const [, refreshToken] = setRefreshToken.exec(head) ?? [];
  if (!accessToken || !refreshToken) throw new Error(`The answer sets no session:\n${head}`);
  return { accessToken, refreshToken };
}

const setAccessToken = /\r\nset-cookie: app\.sid=([^;\r]+)/i;
const setRefreshToken = /\r\nset-cookie: app\.ref=([^;\r]+)/i;

/** The parts of a request. */
interface RequestParts {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, in ASCII. */
  readonly body?: string;
}

/** The headers that a browser sends with every request; real lengths, since both sides have to read them. */
const browserHeaders = {
  Host: 'bench.example',
  Accept: 'application/json',
  'User-Agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
} as const;

/** Writes a request in HTTP/1.1. */
export function writeRequest({ method, path, headers = {}, body = '' }: RequestParts): string {
  const length = method !== 'GET' ? { 'Content-Length': String(body.length) } : {};
  const all = { ...browserHeaders, ...headers, ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
