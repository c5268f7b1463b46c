import { cookieHeader, type SessionCookies } from '../accounts/session-cookies.ts';
import { writeRequest } from '../load/write-request.ts';
import { ownOrigin } from '../servers/server-variables.ts';

/** Writes the request that reads a record or a list. */
export function readRecordsRequest(cookies: SessionCookies, path: string): string {
  return writeRequest({ method: 'GET', path, headers: { Cookie: cookieHeader(cookies) } });
}

/** Writes the request that creates a record, or changes one. */
export function writeRecordRequest(
  cookies: SessionCookies,
  { method, path, values }: { readonly method: 'POST' | 'PATCH'; readonly path: string; readonly values: object },
): string {
  const headers = {
    Origin: ownOrigin,
    'X-APP-Request': '1',
    'Content-Type': 'application/json',
    Cookie: cookieHeader(cookies),
  };
  return writeRequest({ method, path, headers, body: JSON.stringify(values) });
}
