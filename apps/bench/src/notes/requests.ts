import { cookieHeader, type SessionCookies } from '../accounts/session-cookies.ts';
import { type RequestParts, writeRequest } from '../load/write-request.ts';
import { ownOrigin } from '../servers/server-variables.ts';

/** Writes the request that gets a note. */
export function getNoteRequest(cookies: SessionCookies, id: string): string {
  return writeRequest({ method: 'GET', path: `/api/notes/${id}`, headers: { Cookie: cookieHeader(cookies) } });
}

/** Writes the request that lists the first 20 notes. */
export function listNotesRequest(cookies: SessionCookies): string {
  return writeRequest({ method: 'GET', path: '/api/notes', headers: { Cookie: cookieHeader(cookies) } });
}

/** Writes the request that creates a note. */
export function createNoteRequest(cookies: SessionCookies): string {
  return writeRequest(write('POST', '/api/notes', cookies, { title: 'Groceries', body: 'Tea, bread, apples.' }));
}

/** Writes the request that changes a note. */
export function updateNoteRequest(cookies: SessionCookies, id: string): string {
  return writeRequest(write('PATCH', `/api/notes/${id}`, cookies, { body: 'Tea, bread, apples, plums.' }));
}

/** What the page of the application sends with everything that writes. */
function write(method: 'POST' | 'PATCH', path: string, cookies: SessionCookies, body: object): RequestParts {
  const headers = {
    Origin: ownOrigin,
    'X-APP-Request': '1',
    'Content-Type': 'application/json',
    Cookie: cookieHeader(cookies),
  };
  return { method, path, headers, body: JSON.stringify(body) };
}
