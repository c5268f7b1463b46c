import { clientAddress, renderJson } from '@x/http';
import type { Context } from 'hono';
import type { RequestContext } from '../request/request-context.ts';
import type { SignedIn } from '../session/issue-tokens.ts';

/** Converts a request to what the verbs need of it. */
export function requestContext(c: Context): RequestContext {
  return { headers: c.req.raw.headers, ipAddress: clientAddress(c) };
}

/** Answers a sign-in of whatever kind; the tokens travel in cookies only. */
export function renderSignedIn(c: Context, { user, expiresAt, cookies }: SignedIn, status: 200 | 201): Response {
  return renderJson(c, { user, expiresAt }, { status, cookies });
}
